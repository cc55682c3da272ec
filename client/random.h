// Random numbers addressed by (seed, row, lane): no hidden state, the same everywhere.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace prequel::client {

// SplitMix64's finaliser (Steele, Lea, Flood 2014): a bijection that scatters nearby inputs.
constexpr std::uint64_t Scatter(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

// The draws of one row, in order.
class RowStream {
 public:
  constexpr RowStream(std::uint64_t seed, std::uint64_t row)
      : key_(Scatter(Scatter(seed) ^ Scatter(~row))) {}

  constexpr std::uint64_t Bits() { return Scatter(key_ ^ Scatter(lane_++)); }

  // Uniform is in the open interval (0, 1).
  constexpr double Uniform() { return (static_cast<double>(Bits() >> 12) + 0.5) * 0x1p-52; }

  constexpr double Uniform(double low, double high) { return low + (high - low) * Uniform(); }

  // Box and Muller 1958; two uniforms each, the second normal is thrown away.
  double Normal() {
    const double radius = std::sqrt(-2 * std::log(Uniform()));
    return radius * std::cos(2 * std::numbers::pi * Uniform());
  }

 private:
  std::uint64_t key_;
  std::uint64_t lane_ = 0;
};

}  // namespace prequel::client
