#include "core/random/box_muller.h"

#include <bit>
#include <numbers>

#include "core/linalg/types.h"

namespace prequel {
namespace {

constexpr std::uint64_t kOne = 0x3ff0000000000000;    // bits of 1
constexpr std::uint64_t kTwo52 = 0x4330000000000000;  // bits of 2⁵²: k + 2⁵² = kTwo52 | k

// In [1, 2), by the upper 52 bits.
inline double OneToTwo(std::uint64_t word) { return std::bit_cast<double>(word >> 12 | kOne); }

// log x for normal x > 0, to 3e-16 of itself: with x = 2ᵏ r, r in [√½, √2), s = (r−1)/(r+1),
// log r = 2 Σ_n s^{2n+1}/(2n+1). No branches, so that the compiler works on lanes.
inline double Log(double x) {
  constexpr std::uint64_t kRootHalf = 0x3fe6a09e667f3bcd;  // bits of √½
  constexpr std::uint64_t kBias = 1024;                    // keeps k + kBias positive
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t biased = (bits - kRootHalf + (kBias << 52)) >> 52;
  const double r = std::bit_cast<double>(bits - (biased << 52) + (kBias << 52));
  const double k = std::bit_cast<double>(kTwo52 | biased) - (0x1p52 + kBias);
  const double s = (r - 1) / (r + 1), z = s * s;
  double series = 1.0 / 21;
  for (int n = 19; n > 0; n -= 2) series = series * z + 1.0 / n;
  return k * std::numbers::ln2 + 2 * s * series;
}

// Taylor's series for |x| ≤ π/4; the first terms left out are below 2e-17.
inline double Sine(double x) {
  const double z = x * x;
  double series = 1;
  for (int n = 16; n > 0; n -= 2) series = 1 - series * z * (1.0 / (n * (n + 1)));
  return x * series;
}
inline double Cosine(double x) {
  const double z = x * x;
  double series = 1;
  for (int n = 17; n > 0; n -= 2) series = 1 - series * z * (1.0 / (n * (n + 1)));
  return series;
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
