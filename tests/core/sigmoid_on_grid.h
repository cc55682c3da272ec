// An oracle: expectations of the sigmoid of a normal logit on a dense grid.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linalg/special.h"

namespace prequel {

struct SigmoidOnGrid {
  double one = 0, zero = 0, curvature = 0;  // E σ(f), E σ(−f), E σ(f) σ(−f)
  double softplus = 0, entropy = 0;         // E log(1 + e^{−f}), E H(σ(f))
};

// The trapezoidal rule with steps small beside both the normal and the sigmoid.
inline SigmoidOnGrid SigmoidGrid(double m, double s) {
  const double step = std::min(0.1, s / 8), reach = 12 * s + 30;
  const auto count = static_cast<int>(reach / step);
  SigmoidOnGrid e;
  for (int k = -count; k <= count; ++k) {
    const double f = m + k * step, z = k * step / s;
    const double weight = step / s * std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    const double one = std::exp(-Softplus(-f)), zero = std::exp(-Softplus(f));
    e.one += weight * one;
    e.zero += weight * zero;
    e.curvature += weight * one * zero;
    e.softplus += weight * Softplus(-f);
    e.entropy += weight * (one * Softplus(-f) + zero * Softplus(f));
  }
  return e;
}

}  // namespace prequel
