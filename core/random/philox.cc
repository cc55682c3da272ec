#include "core/random/philox.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace prequel {
namespace {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t High(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

// A block gives two elements: counter (block, lane, step), key seed.
Block Draw(const Stream& stream, Index block) {
  return Philox(
      {static_cast<std::uint32_t>(block), stream.lane, Low(stream.step), High(stream.step)},
      {Low(stream.seed), High(stream.seed)});
}

// The upper 53 bits as a multiple of 2⁻⁵³; 2⁻⁵⁴ for zero, so that log(u) is finite.
double Uniform(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 11;
  return bits == 0 ? 0x1p-54 : static_cast<double>(bits) * 0x1p-53;
}

void FillNormal(const Stream& stream, double* out, Index size) {
  for (Index i = 0; i < size; i += 2) {
    const Block bits = Draw(stream, i / 2);
    const double radius = std::sqrt(-2 * std::log(Uniform(bits[0], bits[1])));
    const double angle = 2 * std::numbers::pi * Uniform(bits[2], bits[3]);
    out[i] = radius * std::cos(angle);
    if (i + 1 < size) out[i + 1] = radius * std::sin(angle);
  }
}

}  // namespace

Block Philox(Block counter, Key key) {
  constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
  constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t kWeyl0 = 0x9E3779B9;  // golden ratio
  constexpr std::uint32_t kWeyl1 = 0xBB67AE85;  // √3 − 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = kMultiplier0 * counter[0];
    const std::uint64_t product1 = kMultiplier1 * counter[2];
    counter = {High(product1) ^ counter[1] ^ key[0], Low(product1),
               High(product0) ^ counter[3] ^ key[1], Low(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

void FillNormal(const Stream& stream, VectorRef out) { FillNormal(stream, out.data(), out.size()); }

void FillNormal(const Stream& stream, Matrix& out) { FillNormal(stream, out.data(), out.size()); }

void FillUniform(const Stream& stream, VectorRef out) {
  for (Index i = 0; i < out.size(); i += 2) {
    const Block bits = Draw(stream, i / 2);
    out[i] = Uniform(bits[0], bits[1]);
    if (i + 1 < out.size()) out[i + 1] = Uniform(bits[2], bits[3]);
  }
}

}  // namespace prequel
