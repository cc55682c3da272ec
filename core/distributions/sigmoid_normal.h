// Expectations of the sigmoid σ(f) = 1/(1 + e^{−f}) of normals, eight at a time.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

inline constexpr Index kLanes = 8;  // worked on side by side
using Lane = Eigen::Array<double, kLanes, 1>;

// Over f ~ N(m, s²), one per lane.
struct SigmoidExpectations {
  Lane one, zero;          // E σ(f), E σ(−f)
  Lane curvature;          // E σ(f) σ(−f)
  Lane log_sigmoid;        // E log σ(f); E log σ(−f) is less by E f = m
  Lane moment;             // E f σ(−f)
  Lane log_one, log_zero;  // log E σ(±f), finite where E σ underflows
};

// What is asked for beside `one`, `zero` and `curvature`; the rest is unspecified.
struct SigmoidWants {
  bool log_sigmoid = false;
  bool moment = false;  // only with log_sigmoid
  bool log_probabilities = false;
};

// By quadrature on 20 equidistant nodes out to ±5.7 deviations, or at m where all s are 0. Against
// a fine grid, E σ and E log σ are right to 1e-8 for s² ≤ 1, 1e-6 for s² = 4 and 1e-3 for s² = 16:
// several times nearer than 20-node Gauss–Hermite from s² = 4 on, and cheaper. REQUIRES: s ≥ 0.
void ExpectSigmoid(const Lane& m, const Lane& s, const SigmoidWants& wants, SigmoidExpectations& e);

}  // namespace prequel
