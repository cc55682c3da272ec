// Expectations of the sigmoid of normals that are wide beside it, where nodes placed by the normal
// would step over it.
#pragma once

#include "core/distributions/sigmoid_normal.h"

namespace prequel {

// A normal is wide from this deviation s on. Here the equidistant nodes of sigmoid_normal.cc are
// right to 1e-5, and lose a digit with every further 0.6.
inline constexpr double kWideDeviation = 2.2;

// ExpectWideSigmoid fills all of `e` for f ~ N(m, s²), by a series that converges the same for
// every s: to a relative 1e-6, log_one and log_zero also where e^{log_one} underflows. REQUIRES: s
// ≥ kWideDeviation.
void ExpectWideSigmoid(const Lane& m, const Lane& s, const SigmoidWants& wants,
                       SigmoidExpectations& e);

// ExpectOneWideSigmoid is that of a single normal, to a relative 1e-6.
OneSigmoid ExpectOneWideSigmoid(double m, double s);

}  // namespace prequel
