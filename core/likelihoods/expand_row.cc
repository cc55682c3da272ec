#include "core/likelihoods/expand_row.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/distributions/sigmoid_normal.h"

namespace prequel {

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

}  // namespace prequel
