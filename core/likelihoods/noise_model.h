// How sure a likelihood is of the noise of its targets.
#pragma once

#include "core/likelihoods/logit_moments.h"
#include "core/linalg/types.h"

namespace prequel {

// What a likelihood says of the noise of its outputs; most have none to speak of.
struct NoiseModel {
  // kLearned: a variance R, which an inverse gamma is held of. kLearnedDispersion: α of counts.
  enum class Kind { kNone, kGiven, kLearned, kLearnedDispersion };

  Kind kind = Kind::kNone;
  double variance = 0;         // kGiven: R, in squared units of the targets; or α
  double shape = 0, rate = 0;  // learned: what NoiseState holds before anything was learned

  bool learned() const { return kind == Kind::kLearned; }
  bool learned_dispersion() const { return kind == Kind::kLearnedDispersion; }
  bool has_state() const { return learned() || learned_dispersion(); }
};

// NoiseState is what is known of the noise of each output, in the units the model learns in. Empty
// unless the likelihood learns its noise. The estimate is rate/shape either way:
//   kLearned            R ~ InverseGamma(shape, rate)
//   kLearnedDispersion  log α ~ N(log(rate/shape), 1/shape)
struct NoiseState {
  Vector shape;  // C
  Vector rate;   // C

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("shape", s.shape);
    a.Value("rate", s.rate);
  }
};

// NoiseLevel is the noise as expectations and predictives take it, in the units that the model
// learns in. Empty for a likelihood without noise.
struct NoiseLevel {
  Vector variance;       // C: scale² of the predictive noise, or the dispersion of counts
  Vector dof;            // C: degrees of freedom of the Student-t predictive; +inf when known
  bool is_unit = false;  // the covariance of the logits is held in units of `variance`
  // `largest`, C: the largest count of each output so far; −1 while there was none, +inf when that
  // is not known. Empty for likelihoods of other targets, and where it does not matter.
  Vector largest;
};

// NoiseEvidence is what a minibatch says of the noise.
struct NoiseEvidence {
  const Matrix& targets;      // C × B, encoded
  const Matrix& before;       // C × B: the logits at the mean before it; kLearned only
  const LogitMoments& after;  // under the belief after it; the covariance kLearnedDispersion only
  double dataset_size;        // N of dataset mode, in which an example counts once; else 0
  const Vector* weights = nullptr;  // B: how much each row counts, ω; null: once
  // For a model that is robust: `apart` says that each row speaks for itself, `weighed_square` what
  // their mean squared residual is beside that of all, where all are as predicted
  // (core/robustness/robustness.h). kLearned only.
  bool apart = false;
  double weighed_square = 1;
  // `sureness`, B: what share κ the noise has in the variance of a row whose inputs are not all
  // known, so that κ r² is of the noise; null: all of it. kLearned only.
  const Vector* sureness = nullptr;

  double weight(Index i) const { return weights == nullptr ? 1 : (*weights)[i]; }
  double sureness_of(Index i) const { return sureness == nullptr ? 1 : (*sureness)[i]; }
};

}  // namespace prequel
