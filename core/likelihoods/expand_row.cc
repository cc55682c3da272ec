#include "core/likelihoods/expand_row.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/distributions/sigmoid_normal.h"

namespace prequel {
namespace {

constexpr double kMostShare = 1 - 1e-9;  // of the variance, that one example takes away

}  // namespace

RowMoments ExpandRow(const Bernoulli&, double mean, double variance, double target,
                     const NoiseLevel&) {
  const OneSigmoid e = ExpectOneSigmoid(mean, std::sqrt(std::max(variance, 0.0)));
  const bool is_one = target != 0;
  return {.log_density = e.log_sigmoid - (is_one ? 0 : mean),
          .score = is_one ? e.zero : -e.one,
          .curvature = e.curvature};
}

RowMoments ExpandRow(const Gaussian&, double mean, double variance, double target,
                     const NoiseLevel& noise) {
  const double precision = 1 / noise.variance[0], residual = target - mean;
  return {.log_density = -0.5 * (precision * (residual * residual + variance) +
                                 std::log(2 * std::numbers::pi * noise.variance[0])),
          .score = precision * residual,
          .curvature = precision};
}

// SiteOf takes S(a) = E σ(a + √v z), of which S(a) = e^{a + v/2} S(−a − v) exactly: that keeps the
// mixture, whose own tails are not the sigmoid's, where it is right. a is the logit of what came
// true.
RowSite SiteOf(const Bernoulli&, double mean, double variance, double target, const NoiseLevel&) {
  const double v = std::max(variance, 0.0), sign = target != 0 ? 1 : -1, a = sign * mean;
  const bool tail = a < -0.5 * v;
  const SmoothedSigmoid s = SmoothSigmoid(tail ? -a - v : a, v);
  const double ratio = s.slope / s.value;                // (log S)′
  const double bend = ratio * ratio - s.bend / s.value;  // −(log S)″
  const double most = v > 0 ? kMostShare / v : HUGE_VAL;
  const double h = std::clamp(bend, 0.0, most);
  return {.log_evidence = std::log(s.value) + (tail ? a + 0.5 * v : 0),
          .gradient = sign * (tail ? 1 - ratio : ratio),
          .curvature = h / (1 - h * v)};
}

RowSite SiteOf(const Gaussian&, double mean, double variance, double target,
               const NoiseLevel& noise) {
  const double total = noise.variance[0] + variance, residual = target - mean;
  return {
      .log_evidence = -0.5 * (residual * residual / total + std::log(2 * std::numbers::pi * total)),
      .gradient = residual / total,
      .curvature = 1 / noise.variance[0]};
}

}  // namespace prequel
