// The expansion of one example of one logit, for likelihoods that have it at less cost than that of
// a minibatch.
#pragma once

#include <concepts>

#include "core/likelihoods/bernoulli.h"
#include "core/likelihoods/gaussian.h"
#include "core/likelihoods/noise_model.h"

namespace prequel {

// RowMoments are over f ~ N(mean, variance), or at the mean where the variance is 0.
struct RowMoments {
  double log_density = 0;  // E[log p(y | f)], nats
  double score = 0;        // E[r]
  double curvature = 0;    // E[W]
};

// ExpandRow computes what `Expand` does, to rounding. REQUIRES: `gaussian` has one output.
RowMoments ExpandRow(const Bernoulli& likelihood, double mean, double variance, double target,
                     const NoiseLevel& noise);
RowMoments ExpandRow(const Gaussian& likelihood, double mean, double variance, double target,
                     const NoiseLevel& noise);

// RowSite is what assumed density filtering learns of f ~ N(m, v) from one example. With
// Z = E p(y | f),
//   a = ∂log Z/∂m,   w/(1 + w v) = −∂²log Z/∂m²
// N(m + v a, v/(1 + w v)) has the moments of N(m, v) p(y | f)/Z. For `gaussian` that is the
// posterior.
struct RowSite {
  double log_evidence = 0;  // log Z, nats
  double gradient = 0;      // a
  double curvature = 0;     // w ≥ 0
};

// SiteOf takes, for `bernoulli`, the sigmoid as a mixture of normal distribution functions, off by
// 5e-5 at most (SigmoidMixture). REQUIRES: `gaussian` has one output.
RowSite SiteOf(const Bernoulli& likelihood, double mean, double variance, double target,
               const NoiseLevel& noise);
RowSite SiteOf(const Gaussian& likelihood, double mean, double variance, double target,
               const NoiseLevel& noise);

template <class L>
concept HasSites = requires(const L& likelihood, double x, const NoiseLevel& noise) {
  { SiteOf(likelihood, x, x, x, noise) } -> std::same_as<RowSite>;
};

template <class L>
concept ExpandsRows = requires(const L& likelihood, double x, const NoiseLevel& noise) {
  { ExpandRow(likelihood, x, x, x, noise) } -> std::same_as<RowMoments>;
};

}  // namespace prequel
