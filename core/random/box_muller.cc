#include "core/random/box_muller.h"

#include <array>
#include <bit>
#include <cstddef>
#include <numbers>

#include "core/linalg/types.h"

namespace prequel {
namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;    // bits of 1
constexpr std::uint64_t kTwo52 = 0x4330000000000000;  // bits of 2⁵²: k + 2⁵² = kTwo52 | k

// In [1, 2), by the upper 52 bits.
inline double OneToTwo(std::uint64_t word) { return std::bit_cast<double>(word >> 12 | kOne); }

// c_0 + c_1 z + c_2 z² + …
template <std::size_t N>
inline double Polynomial(const std::array<double, N>& c, double z) {
  double sum = c[N - 1];
  for (std::size_t n = N - 1; n-- > 0;) sum = sum * z + c[n];
  return sum;
}

// Below, a polynomial stands for the rest of a power series in z, which it interpolates at the
// Chebyshev nodes of the range of z: fewer terms do. No branches, so that the compiler works on
// lanes.

// log x for normal x > 0, to 4e-16 of itself: with x = 2ᵏ r, r in [√½, √2), s = (r−1)/(r+1) and
// z = s², log r = 2 (s + s z Σ_n zⁿ/(2n+3)), the sum to 2e-16.
inline double Log(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // bits of √½
  constexpr std::uint64_t kBias = 1024;                    // keeps k + kBias positive
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t biased = (bits - kRootHalf + (kBias << 52)) >> 52;
  const double r = std::bit_cast<double>(bits - (biased << 52) + (kBias << 52));
  const double k = std::bit_cast<double>(kTwo52 | biased) - (0x1p52 + kBias);
  const double s = (r - 1) / (r + 1), z = s * s;
  constexpr std::array kSum = {0x1.5555555555558p-2, 0x1.99999999952e2p-3, 0x1.2492492df148dp-3,
                               0x1.c71c62e5800a1p-4, 0x1.7462b4ab2ef6bp-4, 0x1.39fe606542ddep-4,
                               0x1.2b584aae78a57p-4};
  return k * std::numbers::ln2 + 2 * (s + s * z * Polynomial(kSum, z));
}

// Sine, for |x| ≤ π/4 and z = x², is x − x z Σ_n (−z)ⁿ/(2n+3)!, the sum to 4e-17.
inline double Sine(double x) {
  constexpr std::array kSum = {-0x1.5555555555555p-3,  0x1.1111111110bb2p-7,
                               -0x1.a01a019e83aaep-13, 0x1.71de37968a100p-19,
                               -0x1.ae600b02b6262p-26, 0x1.5e0b19f8b1451p-33};
  const double z = x * x;
  return x + x * z * Polynomial(kSum, z);
}

// Cosine, likewise, is 1 − z/2 + z² Σ_n (−z)ⁿ/(2n+4)!, the sum to 2e-18.
inline double Cosine(double x) {
  constexpr std::array kSum = {0x1.5555555555555p-5,  -0x1.6c16c16c16967p-10,
                               0x1.a01a019f4eb01p-16, -0x1.27e4fa17da09ep-22,
                               0x1.1eeb68e93b64cp-29, -0x1.907da367a37cbp-37};
  const double z = x * x;
  return (1 - 0.5 * z) + z * z * Polynomial(kSum, z);
}

}  // namespace

void BoxMuller(const BoxMullerWords& radius, const BoxMullerWords& angle, double* out) {
  constexpr std::size_t kLanes = kBoxMullerLanes;
  Eigen::Array<double, kLanes, 1> r;
  for (std::size_t j = 0; j < kLanes; ++j) r[Index(j)] = -2 * Log(2 - OneToTwo(radius[j]));
  r = r.sqrt();
  for (std::size_t j = 0; j < kLanes; ++j) {
    const double x = (OneToTwo(angle[j]) - 1.5) * (0.5 * std::numbers::pi);
    const auto cosine = std::bit_cast<std::uint64_t>(r[Index(j)] * Cosine(x));
    const auto sine = std::bit_cast<std::uint64_t>(r[Index(j)] * Sine(x));
    const std::uint64_t swapped = (cosine ^ sine) & (0 - (angle[j] & 1));
    const std::uint64_t sign = (angle[j] >> 1) << 63;
    out[j] = std::bit_cast<double>(cosine ^ swapped ^ sign);
    out[kLanes + j] = std::bit_cast<double>(sine ^ swapped ^ sign);
  }
}

}  // namespace prequel
