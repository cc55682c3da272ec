// 1/√x at less than the cost of a square root and a division, in loops that the compiler
// vectorises.
#pragma once

#include <bit>
#include <cstdint>

namespace prequel {

// ReciprocalSqrt is right to 5e-16 of itself, for normal x > 0; not finite for infinity and NaN. A
// first guess from halving the exponent, right to 4e-2, and four Newton steps, each of which
// squares the error.
inline double ReciprocalSqrt(double x) {
  constexpr std::uint64_t kGuess = 0x5fe6eb50c7b537a9;
  double y = std::bit_cast<double>(kGuess - (std::bit_cast<std::uint64_t>(x) >> 1));
  for (int step = 0; step < 4; ++step) y += y * (0.5 - (0.5 * x * y) * y);
  return y;
}

}  // namespace prequel
