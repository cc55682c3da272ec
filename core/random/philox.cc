#include "core/random/philox.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include <algorithm>
#include <array>
#include <cstring>

#include "core/random/box_muller.h"

namespace prequel {
namespace {

using Block = std::array<std::uint32_t, 4>;
using Key = std::array<std::uint32_t, 2>;

std::uint32_t Low(std::uint64_t x) { return static_cast<std::uint32_t>(x); }
std::uint32_t High(std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); }

constexpr int kRounds = 10;

constexpr std::uint64_t kMultiplier0 = 0xD2511F53;
constexpr std::uint64_t kMultiplier1 = 0xCD9E8D57;

inline void NextKey(Key& key) {
  key[0] += 0x9E3779B9;  // golden ratio
  key[1] += 0xBB67AE85;  // √3 − 1
}

// Draw gives two uniforms of a block: counter (block, lane, step), key seed.
Block Draw(const Stream& stream, Index block) {
  return Philox(
      {static_cast<std::uint32_t>(block), stream.lane, Low(stream.step), High(stream.step)},
      {Low(stream.seed), High(stream.seed)});
}

// Uniform is the upper 53 bits as a multiple of 2⁻⁵³; 2⁻⁵⁴ for zero, so that log(u) is finite.
double Uniform(std::uint32_t low, std::uint32_t high) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 11;
  return bits == 0 ? 0x1p-54 : static_cast<double>(bits) * 0x1p-53;
}

constexpr Index kChunk = 2 * kBoxMullerLanes;  // normals of as many blocks as there are lanes

// Words are of 64 bits side by side, of which the lower halves count.
constexpr std::size_t kWords = 4;
using Words = std::uint64_t __attribute__((vector_size(8 * kWords)));
static_assert(kBoxMullerLanes % kWords == 0);

// Multiply is spelled out: the compiler does not see that the upper halves are zero, and would
// multiply those too.
inline Words Multiply(Words a, Words b) {
#ifdef __AVX2__
  return reinterpret_cast<Words>(
      _mm256_mul_epu32(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#else
  return a * b;
#endif
}

// CounterLanes is Philox of as many counters side by side.
struct CounterLanes {
  std::array<Words, kBoxMullerLanes / kWords> c0, c1, c2, c3;

  void Round(const Key& key) {
    const Words multiplier0 = Words{} + kMultiplier0, multiplier1 = Words{} + kMultiplier1;
    for (std::size_t i = 0; i < c0.size(); ++i) {
      const Words product0 = Multiply(multiplier0, c0[i]);
      const Words product1 = Multiply(multiplier1, c2[i]);
      c0[i] = product1 >> 32 ^ c1[i] ^ key[0];
      c2[i] = product0 >> 32 ^ c3[i] ^ key[1];
      c1[i] = product1 & 0xffffffff;
      c3[i] = product0 & 0xffffffff;
    }
  }
};

// FillChunk writes normals [kChunk · chunk, kChunk · (chunk + 1)).
void FillChunk(const Stream& stream, Index chunk, double* out) {
  CounterLanes lanes;
  const std::uint64_t first = static_cast<std::uint64_t>(chunk) * kBoxMullerLanes;
  for (std::size_t i = 0; i < lanes.c0.size(); ++i) {
    lanes.c0[i] = (Words{0, 1, 2, 3} + (first + kWords * i)) & 0xffffffff;
    lanes.c1[i] = Words{} + stream.lane;
    lanes.c2[i] = Words{} + Low(stream.step);
    lanes.c3[i] = Words{} + High(stream.step);
  }
  Key key = {Low(stream.seed), High(stream.seed)};
  for (int round = 0; round < kRounds; ++round) {
    lanes.Round(key);
    NextKey(key);
  }
  BoxMullerWords radius, angle;
  for (std::size_t i = 0; i < lanes.c0.size(); ++i) {
    const Words r = lanes.c1[i] << 32 | lanes.c0[i], a = lanes.c3[i] << 32 | lanes.c2[i];
    std::memcpy(&radius[kWords * i], &r, sizeof(r));
    std::memcpy(&angle[kWords * i], &a, sizeof(a));
  }
  BoxMuller(radius, angle, out);
}

}  // namespace

Block Philox(Block c, Key key) {
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t product0 = kMultiplier0 * c[0], product1 = kMultiplier1 * c[2];
    c = {High(product1) ^ c[1] ^ key[0], Low(product1), High(product0) ^ c[3] ^ key[1],
         Low(product0)};
    NextKey(key);
  }
  return c;
}

void FillNormal(const Stream& stream, Index first, VectorRef out) {
  Index i = 0;
  while (i < out.size()) {
    const Index chunk = (first + i) / kChunk, offset = (first + i) % kChunk;
    const Index count = std::min(kChunk - offset, out.size() - i);
    if (count == kChunk) {
      FillChunk(stream, chunk, out.data() + i);
    } else {
      std::array<double, kChunk> whole;
      FillChunk(stream, chunk, whole.data());
      std::copy_n(whole.begin() + offset, count, out.data() + i);
    }
    i += count;
  }
}

void FillNormal(const Stream& stream, VectorRef out) { FillNormal(stream, 0, out); }

void FillNormal(const Stream& stream, Matrix& out) {
  FillNormal(stream, 0, Eigen::Map<Vector>(out.data(), out.size()));
}

void FillUniform(const Stream& stream, VectorRef out) {
  for (Index i = 0; i < out.size(); i += 2) {
    const Block bits = Draw(stream, i / 2);
    out[i] = Uniform(bits[0], bits[1]);
    if (i + 1 < out.size()) out[i + 1] = Uniform(bits[2], bits[3]);
  }
}

}  // namespace prequel
