#include "core/linalg/sum_log.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

namespace prequel {
namespace {

constexpr Index kLanes = 8;       // worked on side by side, which the compiler vectorises
constexpr Index kFactors = 1000;  // of numbers below 2, whose product stays below 2¹⁰²³

constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
constexpr std::uint64_t kOne = 0x3ff0000000000000;

struct Lanes {
  std::array<double, kLanes> product;
  std::array<std::int64_t, kLanes> exponent{};

  Lanes() { product.fill(1); }

  void Multiply(const double* x) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const auto bits = std::bit_cast<std::uint64_t>(x[j]);
      product[j] *= std::bit_cast<double>((bits & kMantissa) | kOne);
      exponent[j] += static_cast<std::int64_t>(bits >> 52) - 1023;
    }
  }

  double Log() const {
    double sum = 0;
    for (std::size_t j = 0; j < kLanes; ++j) {
      sum += std::log(product[j]) + std::numbers::ln2 * static_cast<double>(exponent[j]);
    }
    return sum;
  }
};

}  // namespace

double SumLog(ConstVectorRef x) {
  if (x.size() == 0) return 0;
  const double least = x.minCoeff(), total = x.sum();
  if (!(least >= std::numeric_limits<double>::min() && std::isfinite(total))) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  double sum = 0;
  const Index whole = x.size() / kLanes * kLanes;
  for (Index start = 0; start < whole; start += kLanes * kFactors) {
    Lanes lanes;
    const Index end = std::min(whole, start + kLanes * kFactors);
    for (Index i = start; i < end; i += kLanes) lanes.Multiply(x.data() + i);
    sum += lanes.Log();
  }
  for (Index i = whole; i < x.size(); ++i) sum += std::log(x[i]);
  return sum;
}

}  // namespace prequel
