// An oracle: expectations of the softmax of normals on dense grids, by one integral for all C.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linalg/types.h"

namespace prequel {

struct SoftmaxOnGrid {
  Vector probabilities;  // E p_c
  double log_sum = 0;    // E log Σ_c e^{f_c}
};

// Of independent f_c ~ N(m_c, v_c). With independent standard Gumbel g_c, p_c(f) is the probability
// that f_c + g_c is the greatest, and log Σ e^{f_c} the mean of the greatest, less Euler's γ:
//   H_c(t) = P(f_c + g_c ≤ t),  E p_c = ∫ H_c′ Π_{j≠c} H_j dt,  E max = high − ∫ Π_j H_j dt.
// By the trapezoidal rule, with steps that are small beside all deviations; for v_c ≥ 1.
inline SoftmaxOnGrid IndependentSoftmax(const Vector& m, const Vector& v) {
  constexpr double kStep = 0.25;
  const double step = kStep * std::max(1.0, 0.25 * std::sqrt(v.minCoeff()));
  const double reach = 8 * std::sqrt(v.maxCoeff());
  const double high = m.maxCoeff() + reach + 40;
  const auto steps = static_cast<Index>((high - m.minCoeff() + reach + 4) / step);
  SoftmaxOnGrid e{Vector::Zero(m.size()), high - std::numbers::egamma - 0.5 * step};
  Vector ratios(m.size());
  for (Index k = 1; k < steps; ++k) {
    const double t = high - static_cast<double>(k) * step;
    double below = 1;
    for (Index c = 0; c < m.size(); ++c) {
      const double s = std::sqrt(v[c]);
      double cdf = 0, density = 0;
      for (double u = -4; u < 30; u += kStep) {
        const double gumbel = kStep * std::exp(-u - std::exp(-u)), z = (t - m[c] - u) / s;
        if (std::abs(z) > 9) {
          cdf += z > 0 ? gumbel : 0;
          continue;
        }
        cdf += gumbel * 0.5 * std::erfc(-z / std::numbers::sqrt2);
        density += gumbel * std::exp(-0.5 * z * z) / (s * std::sqrt(2 * std::numbers::pi));
      }
      below *= cdf;
      ratios[c] = cdf > 0 ? density / cdf : 0;
    }
    e.log_sum -= step * below;
    if (below > 0) e.probabilities += (step * below) * ratios;
  }
  return e;
}

// Of f + g d with independent f as above and one g ~ N(0, 1), whose covariance is
// diag(v) + d dᵀ: the mean over an equidistant grid of g.
inline SoftmaxOnGrid CorrelatedSoftmax(const Vector& m, const Vector& v, const Vector& d) {
  constexpr int kNodes = 24;
  constexpr double kSpacing = 0.4;
  SoftmaxOnGrid e{Vector::Zero(m.size()), 0};
  double total = 0;
  for (int k = -kNodes / 2; k <= kNodes / 2; ++k) {
    const double g = k * kSpacing, weight = std::exp(-0.5 * g * g);
    const SoftmaxOnGrid at = IndependentSoftmax(m + g * d, v);
    e.probabilities += weight * at.probabilities;
    e.log_sum += weight * at.log_sum;
    total += weight;
  }
  e.probabilities /= total;
  e.log_sum /= total;
  return e;
}

}  // namespace prequel
