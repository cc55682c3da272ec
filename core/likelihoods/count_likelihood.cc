#include "core/likelihoods/count_likelihood.h"

#include <algorithm>
#include <cmath>

namespace prequel {

namespace {

// Of the log rate in a predictive: beyond it the variance of the count overflows.
constexpr double kMaxVariance = 100;

}  // namespace

std::string_view CountLikelihood::TargetProblem(double y) const {
  const bool count = y >= 0 && y <= kMaxCount && y == std::floor(y);
  return count ? "" : "a count: 0, 1, 2, …";
}

CountLikelihood::LogRate CountLikelihood::Bounded(const LogitMoments& moments, Index output,
                                                  Index example) const {
  const double variance = std::clamp(VarianceOf(moments, output, example), 0.0, kMaxVariance);
  return {std::min(moments.mean(output, example), kMaxLogRate - 0.5 * variance), variance};
}

}  // namespace prequel
