// Y ~ negative binomial of mean λ and shape r, log λ = f ~ N(μ, v). With z = f − log r,
//   P(Y = y | f) = Γ(y + r)/(Γ(r) y!) σ(z)^y σ(−z)^r,  Var(Y | f) = λ + λ²/r
#pragma once

#include <cmath>

#include "core/distributions/count_mixture.h"

namespace prequel {

// See CountKernel. T at y is log r plus the logit of a Beta(y + 1, r) variable.
class NegativeBinomialKernel {
 public:
  static constexpr bool kHasSeries = false;
  static constexpr double kMostShape = 1000;
  static constexpr double kLeastShape = 0.1;

  NegativeBinomialKernel() = default;
  // REQUIRES: kLeastShape ≤ r ≤ kMostShape + 1: below, what is integrated is wider than its grid.
  explicit NegativeBinomialKernel(double shape) : shape_(shape), log_shape_(std::log(shape)) {}

  double Exponent(double y, double f) const {
    const double z = f - log_shape_;
    return -y * Softplus(-z) - shape_ * Softplus(z);
  }
  template <class Points>
  Points Exponents(double y, const Points& f) const {
    const Points z = f - log_shape_;
    const Points small = (-z.abs()).exp().log1p();
    return -y * ((-z).max(0.0) + small) - shape_ * (z.max(0.0) + small);
  }
  double LogConstant(double y) const;
  double Peak(double y, double precision, double center) const;
  // (y + r) σ(z) σ(−z)
  double Curvature(double y, double f) const {
    const double small = std::exp(-std::abs(f - log_shape_));
    return (y + shape_) * small / ((1 + small) * (1 + small));
  }
  double Cdf(double y, double f) const;
  double WidthOfT(double y) const { return 1 / (y + 1) + 1 / shape_; }
  double ExcessVariance() const { return 1 / shape_; }
  // y P(Y = y | λ, r) = λ P(Y = y − 1 | λ (r + 1)/r, r + 1)
  NegativeBinomialKernel Weighted(double* shift) const {
    *shift = std::log1p(1 / shape_);
    return NegativeBinomialKernel(shape_ + 1);
  }
  static double ClosedSpread(double /*f*/) { return -1; }

 private:
  double shape_ = 1, log_shape_ = 0;
};

using NegativeBinomialMixture = CountMixture<NegativeBinomialKernel>;

extern template class CountMixture<NegativeBinomialKernel>;

}  // namespace prequel
