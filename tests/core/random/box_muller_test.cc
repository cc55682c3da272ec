// Against the same transform in long double by the C library.
#include "core/random/box_muller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace prequel::box_muller_test {
namespace {

std::array<double, 2> Reference(std::uint64_t radius, std::uint64_t angle) {
  const long double u = 1 - std::ldexp(static_cast<long double>(radius >> 12), -52);
  const long double v = std::ldexp(static_cast<long double>(angle >> 12), -52);
  const long double r = std::sqrt(-2 * std::log(u));
  const long double phi = std::numbers::pi_v<long double> / 2 * (v - 0.5L);
  long double first = r * std::cos(phi), second = r * std::sin(phi);
  if (angle & 1) std::swap(first, second);
  if (angle & 2) {
    first = -first;
    second = -second;
  }
  return {static_cast<double>(first), static_cast<double>(second)};
}

// A word by a multiplicative walk, which reaches all magnitudes of bits.
std::uint64_t Word(std::uint64_t i) { return (i + 1) * 0x9E3779B97F4A7C15; }

void ExpectExact(const BoxMullerWords& radius, const BoxMullerWords& angle) {
  std::array<double, 2 * kBoxMullerLanes> out;
  BoxMuller(radius, angle, out.data());
  for (std::size_t j = 0; j < kBoxMullerLanes; ++j) {
    const std::array<double, 2> want = Reference(radius[j], angle[j]);
    EXPECT_NEAR(out[j], want[0], 1e-14) << radius[j] << " " << angle[j];
    EXPECT_NEAR(out[kBoxMullerLanes + j], want[1], 1e-14) << radius[j] << " " << angle[j];
  }
}

TEST(BoxMuller, IsExactTo1e14) {
  for (std::uint64_t i = 0; i < 20000; ++i) {
    BoxMullerWords radius, angle;
    for (std::size_t j = 0; j < kBoxMullerLanes; ++j) {
      radius[j] = Word(16 * i + j);
      angle[j] = Word(16 * i + 8 + j) ^ i;
    }
    ExpectExact(radius, angle);
  }
}

// The smallest radii, where log u cancels, and the largest; the ends of each quarter.
TEST(BoxMuller, IsExactAtTheEnds) {
  constexpr std::uint64_t kUnit = 1 << 12;  // of the upper 52 bits
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  const BoxMullerWords radius = {0,     kUnit,         5 * kUnit,    kUnit << 20,
                                 kMost, kMost - kUnit, kMost - 4095, std::uint64_t{1} << 63};
  for (const std::uint64_t angle :
       {std::uint64_t{0}, kUnit, kMost, kMost - 1, kMost - 2, kMost - 3, std::uint64_t{1} << 63}) {
    BoxMullerWords angles;
    angles.fill(angle);
    ExpectExact(radius, angles);
  }
  std::array<double, 2 * kBoxMullerLanes> out;
  BoxMuller(radius, radius, out.data());
  EXPECT_TRUE(std::all_of(out.begin(), out.end(), [](double z) { return std::abs(z) < 8.6; }));
}

}  // namespace
}  // namespace prequel::box_muller_test
