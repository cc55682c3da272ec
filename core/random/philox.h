// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011): every draw is a pure function of
// (seed, step, lane, index), so replaying step n needs no generator state.
#pragma once

#include <array>
#include <cstdint>

#include "core/linalg/types.h"

namespace prequel {

// Names one stream of draws. `step` is the revision, `lane` what the draws are for and which one.
struct Stream {
  std::uint64_t seed = 0;
  std::uint64_t step = 0;
  std::uint32_t lane = 0;
};

// Philox makes ten rounds on counter c under key k; matches the published known-answer vectors.
std::array<std::uint32_t, 4> Philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key);

// FillNormal writes independent standard normals, by Box-Muller; element i depends on the stream
// and i only.
void FillNormal(const Stream& stream, VectorRef out);
// This one writes elements [first, first + size of out) of them.
void FillNormal(const Stream& stream, Index first, VectorRef out);
// This one fills a matrix, in column-major order of elements.
void FillNormal(const Stream& stream, Matrix& out);

// FillUniform is uniform on (0, 1), 53 bits.
void FillUniform(const Stream& stream, VectorRef out);

}  // namespace prequel
