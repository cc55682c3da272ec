#include "core/likelihoods/count_likelihood.h"

#include <algorithm>
#include <cmath>

namespace prequel {

namespace {

// The largest variance of a log rate in a predictive: beyond it the variance of the count
// overflows.
constexpr double kMaxVariance = 100;

constexpr double kFirstLargest = 99;  // M before anything was seen
// The largest mean that is believed, in times M + 1: one beyond is the tail of an extrapolation
// more often than growth.
constexpr double kBelieved = 2;
constexpr double kUnknownVariance = 4;  // v' of a log rate of which nothing is known

}  // namespace

std::string_view CountLikelihood::TargetProblem(double y) const {
  const bool count = y >= 0 && y <= kMaxCount && y == std::floor(y);
  return count ? "" : "a count: 0, 1, 2, …";
}

double CountLikelihood::Bound(const NoiseLevel& noise, Index output) {
  if (noise.largest.size() == 0) return kMaxLogRate;
  const double largest = noise.largest[output] < 0 ? kFirstLargest : noise.largest[output];
  return std::min(kMaxLogRate, std::log1p(largest) + std::log(kBelieved));
}

CountLikelihood::LogRate CountLikelihood::Bounded(const LogitMoments& moments,
                                                  const NoiseLevel& noise, Index output,
                                                  Index example) const {
  const double variance = std::clamp(VarianceOf(moments, output, example), 0.0, kMaxVariance);
  const double mean = moments.mean(output, example), bound = Bound(noise, output);
  const double excess = mean + 0.5 * variance - bound;
  if (!(excess > 0)) return {mean, variance};
  if (bound == kMaxLogRate) return {bound - 0.5 * variance, variance};
  const double kept = std::exp(-excess);
  const double spread = kept * variance + (1 - kept) * kUnknownVariance;
  return {bound - (1 - kept) * std::log(kBelieved) - 0.5 * spread, spread};
}

}  // namespace prequel
