#include "core/robustness/robustness.h"

#include <algorithm>
#include <cmath>

namespace prequel {

// WeighedSquare uses the trapezoid rule in u = log s, in which the density is smooth and falls off
// fast.
double WeighedSquare(const Robustness& robustness, Index outputs) {
  constexpr double kStep = 0.01;
  const double half = 0.5 * static_cast<double>(outputs);
  const double peak = std::log(2 * half);
  const double width = std::max(60 / half, 12 / std::sqrt(half));  // of what counts below
  return std::visit(
      [&](const auto& of) {
        double all = 0, all_squares = 0, weights = 0, squares = 0;
        for (double u = peak - width; u < peak + 8; u += kStep) {
          const double s = std::exp(u), square = s / (2 * half);
          const double density = std::exp(half * (u - peak) - 0.5 * s + half);
          const double weight = density * of.NoiseWeight({square, square});
          all += density;
          all_squares += density * square;
          weights += weight;
          squares += weight * square;
        }
        return (squares / weights) / (all_squares / all);
      },
      robustness);
}

}  // namespace prequel
