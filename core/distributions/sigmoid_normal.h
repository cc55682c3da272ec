// Expectations of the sigmoid σ(f) = 1/(1 + e^{−f}) of normals, eight at a time.
#pragma once

#include <array>
#include <cstddef>

#include "core/linalg/types.h"

namespace prequel {

inline constexpr Index kLanes = 8;  // worked on side by side
using Lane = Eigen::Array<double, kLanes, 1>;
using LaneMask = Eigen::Array<bool, kLanes, 1>;

// SigmoidExpectations are over f ~ N(m, s²), one per lane.
struct SigmoidExpectations {
  Lane one, zero;          // E σ(f), E σ(−f)
  Lane curvature;          // E σ(f) σ(−f)
  Lane log_sigmoid;        // E log σ(f); E log σ(−f) is less by E f = m
  Lane moment;             // E f σ(−f)
  Lane log_one, log_zero;  // log E σ(±f), finite where E σ underflows
};

// SigmoidWants says what is asked for beside `one`, `zero` and `curvature`; the rest is
// unspecified.
struct SigmoidWants {
  bool log_sigmoid = false;
  bool moment = false;  // only with log_sigmoid
  bool log_probabilities = false;
};

// ExpectSigmoid uses quadrature on 20 equidistant nodes out to ±5.7 deviations, or the value at m
// where all s are 0; from s = 2.2 on, where the nodes begin to step over the sigmoid, a series
// (wide_sigmoid.h). Against a fine grid E σ and E log σ are right to 1e-8 for s² ≤ 1, and
// everything to a relative 1e-4 where it exceeds 1e-6. Lanes do not depend on each other, except
// that s = 0 beside an s > 0 is by nodes too. REQUIRES: s ≥ 0.
void ExpectSigmoid(const Lane& m, const Lane& s, const SigmoidWants& wants, SigmoidExpectations& e);

// OneSigmoid holds the first four of these for a single normal, at a fifth of the cost, since its
// nodes are worked on side by side: the same to rounding, or to a relative 1e-6 where s is wide.
struct OneSigmoid {
  double one = 0, zero = 0;
  double curvature = 0;
  double log_sigmoid = 0;
};
OneSigmoid ExpectOneSigmoid(double m, double s);

// σ(x) ≈ Σ_i π_i Φ(s_i x), a mixture of normal distribution functions (Monahan and Stefanski 1992),
// whose expectation over a normal x is another one. Fitted by least squares: off by at most 5e-5,
// and by far less when it is smoothed; its integral up to 0 is log 2 to 1e-4.
struct SigmoidMixture {
  static constexpr std::size_t kTerms = 3;
  static constexpr std::array<double, kTerms> kShares = {0.1610111581081242, 0.5831389451037345,
                                                         0.2558498967881411};
  static constexpr std::array<double, kTerms> kSlopes = {0.3635913936895054, 0.5763331864905855,
                                                         0.9053843037385784};
};

// SmoothedSigmoid is E σ(f), f ~ N(m, v), by that mixture, with its first two derivatives in m. Its
// tails are not the sigmoid's: it is right where m ≥ −v/2.
struct SmoothedSigmoid {
  double value = 0, slope = 0, bend = 0;
};
SmoothedSigmoid SmoothSigmoid(double m, double v);

}  // namespace prequel
