// What passes between posterior, model and likelihood: moments of the logits of a minibatch.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// The logits of example i are N(mean_i, covariance_i) under a Gaussian over the weights,
// linearised at its mean (exact for linear models).
struct LogitMoments {
  Matrix mean;        // C × B
  Matrix covariance;  // C × C·B, block i is columns [iC, iC + C); no columns: f is known exactly
  // `doubt`, C × B, is what a predictive adds to the variance of each logit, where covariances are
  // in units of the noise and this is not. Of a `doubted` minibatch alone.
  Matrix doubt;
  bool doubted = false;

  bool exact() const { return covariance.cols() == 0; }
};

// LocalExpansion holds expectations over f ~ LogitMoments of the minibatch's log-likelihood (math:
// score r = T(y) − A'(f), curvature W = A''(f) = G Gᵀ).
//
// With weights w² of the rows the likelihood of row i is p^{w²_i}: its log density and score count
// w²_i times, its root w_i times. A likelihood counts log densities so; score and root are as if
// each row counted once, until the expansion weighs them.
struct LocalExpansion {
  Vector weights;          // B: w² ≥ 0, given; empty: all are 1
  double log_density = 0;  // Σ_i E[log p(y_i | f_i)], nats
  Matrix score;            // C × B: E[r_i]
  Matrix root;             // C × R·B, block i is G_i: G_i G_iᵀ = E[W_i]; R = curvature_rank()

  Matrix draws, block;  // scratch of the likelihood

  double weight(Index i) const { return weights.size() > 0 ? weights[i] : 1; }
};

}  // namespace prequel
