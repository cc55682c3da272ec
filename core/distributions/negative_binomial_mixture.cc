#include "core/distributions/negative_binomial_mixture.h"

#include <algorithm>

namespace prequel {
namespace {

constexpr double kLargeCount = 1e5;  // where the asymptotic forms are the better ones

}  // namespace

// log Γ(y + r)/(Γ(r) y!); for large y by Γ(y + r)/Γ(y + 1) ≈ (y + r/2)^{r−1}, error O(r³/y²).
double NegativeBinomialKernel::LogConstant(double y) const {
  const double ratio = y > kLargeCount * (1 + shape_) ? (shape_ - 1) * std::log(y + 0.5 * shape_)
                                                      : LogGamma(y + shape_) - LogGamma(y + 1);
  return ratio - LogGamma(shape_);
}

// h' = y − (y + r) σ(z) − precision (f − center) is decreasing: Newton's method inside a bracket
// that shrinks. With y > 0 the root lies between log(y) and center.
double NegativeBinomialKernel::Peak(double y, double precision, double center) const {
  if (precision == 0) return std::log(y);
  double low = center - shape_ / precision, high = center + y / precision;
  if (y > 0) {
    low = std::max(low, std::min(std::log(y), center));
    high = std::min(high, std::max(std::log(y), center));
  }
  double f = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double slope =
        y - (y + shape_) / (1 + std::exp(log_shape_ - f)) - precision * (f - center);
    (slope > 0 ? low : high) = f;
    double next = f + slope / (Curvature(y, f) + precision);
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    if (std::abs(next - f) <= 1e-9 * (1 + std::abs(f))) return next;
    f = next;
  }
  return f;
}

// I_{σ(−z)}(r, y + 1); for large y, with N = y + 1 + (r − 1)/2, as the gamma distribution
// P(r, N log(1 + e^{−z})), error O(r²/N²) (DiDonato and Morris 1992).
double NegativeBinomialKernel::Cdf(double y, double f) const {
  const double z = f - log_shape_;
  if (y > kLargeCount) {
    return 1 - UpperIncompleteGamma(shape_, (y + 1 + 0.5 * (shape_ - 1)) * Softplus(-z));
  }
  return IncompleteBeta(shape_, y + 1, 1 / (1 + std::exp(z)));
}

template class CountMixture<NegativeBinomialKernel>;

}  // namespace prequel
