// The tail of the normal beside its density, several numbers at a time.
#pragma once

#include <iterator>

#include "core/linalg/types.h"

namespace prequel {

// MillsRatio is R(x) = Φ(−x)/φ(x) of each x ≥ 0, to a relative 1e-12: neither underflows where
// Φ(−x) does, and log Φ(−x) = log φ(x) + log R(x). With t = 5/(5 + x), R = t Q(2t − 1), Q being a
// polynomial fitted at Chebyshev's nodes of t in (0, 1], so that it holds up to x = ∞. Free of
// branches.
template <int N>
inline Eigen::Array<double, N, 1> MillsRatio(const Eigen::Array<double, N, 1>& x) {
  constexpr double kQ[] = {
      0.38561620943055874,     0.33357331903938159,     0.24830941232827058,
      0.15718221502771457,     0.082728942742564732,    0.034650948030695877,
      0.010425105055995088,    0.001500648484129765,    -0.00040001806972474619,
      -0.00027314321103914297, -2.9685904824484135e-05, 2.4888955089530964e-05,
      8.2130344574196878e-06,  -1.9256193080461548e-06, -1.2231543915993341e-06,
      1.198405702807753e-07,   1.1319504416100587e-07,  -1.889339041906245e-09};
  constexpr int kDegree = static_cast<int>(std::size(kQ)) - 1;
  const Eigen::Array<double, N, 1> t = 5 / (5 + x);
  const Eigen::Array<double, N, 1> w = 2 * t - 1;
  Eigen::Array<double, N, 1> q = Eigen::Array<double, N, 1>::Constant(x.size(), kQ[kDegree]);
  for (int j = kDegree - 1; j >= 0; --j) q = q * w + kQ[j];
  return t * q;
}

// RoughMillsRatio is R(x) to a relative 5e-8, in half the time; t = 4/(4 + x).
template <int N>
inline Eigen::Array<double, N, 1> RoughMillsRatio(const Eigen::Array<double, N, 1>& x) {
  constexpr double kQ[] = {0.47330476377158204,    0.38094257846206614,    0.24260249034102102,
                           0.11688828186126504,    0.0378471390705677,     0.00470759289670474,
                           -0.0021783651831555227, -0.0009799581139464557, 8.104285235480988e-05,
                           9.858604694336993e-05};
  constexpr int kDegree = static_cast<int>(std::size(kQ)) - 1;
  const Eigen::Array<double, N, 1> t = 4 / (4 + x);
  const Eigen::Array<double, N, 1> w = 2 * t - 1;
  Eigen::Array<double, N, 1> q = Eigen::Array<double, N, 1>::Constant(x.size(), kQ[kDegree]);
  for (int j = kDegree - 1; j >= 0; --j) q = q * w + kQ[j];
  return t * q;
}

}  // namespace prequel
