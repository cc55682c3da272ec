// Y ~ Poisson(λ), log λ = f ~ N(μ, v): the Poisson–lognormal distribution.
#pragma once

#include "core/distributions/count_mixture.h"

namespace prequel {

// See CountKernel. T at y is the log of a Gamma(y + 1) variable.
struct PoissonKernel {
  static constexpr bool kHasSeries = true;

  double Exponent(double y, double f) const { return y * f - std::exp(f); }
  template <class Points>
  Points Exponents(double y, const Points& f) const {
    return y * f - f.exp();
  }
  double LogConstant(double y) const { return -LogGamma(y + 1); }
  double Peak(double y, double precision, double center) const;
  double Curvature(double /*y*/, double f) const { return std::exp(f); }
  double Cdf(double y, double f) const { return UpperIncompleteGamma(y + 1, std::exp(f)); }
  double WidthOfT(double y) const { return 1 / (y + 1); }
  double ExcessVariance() const { return 0; }
  PoissonKernel Weighted(double* shift) const {
    *shift = 0;
    return {};
  }
  // λ e^{−2λ} (I₀(2λ) + I₁(2λ))
  double ClosedSpread(double f) const { return std::exp(f) * ScaledBesselSum(2 * std::exp(f)); }
  double SmoothCdf(double a, double mean, double variance) const;
};

using PoissonMixture = CountMixture<PoissonKernel>;

extern template class CountMixture<PoissonKernel>;

}  // namespace prequel
