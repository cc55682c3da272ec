// Box-Muller: two independent standard normals of two uniform words, several pairs side by side.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace prequel {

inline constexpr std::size_t kBoxMullerLanes = 8;
using BoxMullerWords = std::array<std::uint64_t, kBoxMullerLanes>;

// BoxMuller sets, with u = 1 − a/2⁵², v = b/2⁵² for the upper 52 bits a of radius[j] and b of
// angle[j],
//   (out[j], out[lanes + j]) = √(−2 log u) (cos φ, sin φ),   φ = ½π (v − ½),
// swapped when bit 0 of angle[j] is set, and negated when bit 1 is: uniform on the circle.
// Exact to a few units in the last place of the radius.
void BoxMuller(const BoxMullerWords& radius, const BoxMullerWords& angle, double* out);

}  // namespace prequel
