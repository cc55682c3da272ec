// The expansion of the log-likelihood of one example of one logit, whose moments are at hand: no
// model is asked (core/expansion/expansion.h has that of a minibatch).
#pragma once

#include "core/expansion/expansion.h"
#include "core/likelihoods/expand_row.h"
#include "core/likelihoods/likelihood.h"
#include "core/likelihoods/logit_moments.h"
#include "core/likelihoods/noise_model.h"

namespace prequel {

// RowExpansion is bound to a likelihood and a noise level, which must outlive the use. Allocates
// nothing once grown.
class RowExpansion {
 public:
  // REQUIRES: the likelihood is of one logit.
  void Bind(const Likelihood& likelihood, const NoiseLevel& noise);

  // Take moves on to the next example, with its encoded target; its likelihood is p^{w²} for a
  // weight w² ≥ 0.
  void Take(double target, double weight = 1) {
    target_ = target;
    weight_ = weight;
  }

  // has_site: whether the likelihood has sites.
  bool has_site() const;
  // Site returns the example's site, counted w² times: it makes of f ~ N(mean, variance) what w²
  // examples worth the same pseudo-observation do. REQUIRES: has_site().
  RowSite Site(double mean, double variance) const;

  // Expect returns w² E[log p(y | f)], nats, over f ~ N(mean, variance), or at the mean.
  double Expect(Expectation expectation, double mean, double variance);
  // score and curvature return w² E[r] and w² E[W] of the last Expect.
  double score() const { return row_.score; }
  double curvature() const { return row_.curvature; }

 private:
  const Likelihood* likelihood_ = nullptr;
  const NoiseLevel* noise_ = nullptr;
  double target_ = 0, weight_ = 1;
  RowMoments row_;

  // A minibatch of one.
  Matrix targets_;
  LogitMoments moments_;
  LocalExpansion local_;
};

}  // namespace prequel
