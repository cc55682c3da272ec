#include "core/distributions/poisson_mixture.h"

namespace prequel {

// h' is concave and decreasing: from the right of its root Newton's method is monotone. The root
// lies between log(y) and center.
double PoissonKernel::Peak(double y, double precision, double center) const {
  double f = y > 0 ? std::log(y) : center;
  if (precision == 0) return f;
  f = std::max(f, center);
  for (int i = 0; i < 500; ++i) {
    const double rate = std::exp(f);
    const double step = (y - rate - precision * (f - center)) / (rate + precision);
    f += step;
    if (std::abs(step) <= 1e-9 * (1 + std::abs(f))) break;
  }
  return f;
}

// P(T > f) for T the log of a Gamma(a) variable, by Edgeworth's series in the cumulants of T − f,
// those of T being polygamma functions of a; error O(a^{−3/2}).
double PoissonKernel::SmoothCdf(double a, double mean, double variance) const {
  const double t = 1 / a;
  const double first = std::log(a) - t * (0.5 + t / 12) - mean;
  const double second = t * (1 + t * (0.5 + t / 6)) + variance;
  const double third = -t * t * (1 + t * (1 + t / 2));
  const double fourth = t * t * t * (2 + 3 * t);
  const double x = -first / std::sqrt(second), x2 = x * x;
  const double skewness = third / (second * std::sqrt(second));
  const double kurtosis = fourth / (second * second);
  const double correction = skewness / 6 * (x2 - 1) + kurtosis / 24 * x * (x2 - 3) +
                            skewness * skewness / 72 * x * (x2 * (x2 - 10) + 15);
  const double density = std::exp(-0.5 * x2) / std::sqrt(2 * std::numbers::pi);
  return NormalCdf(-x) + density * correction;
}

template class CountMixture<PoissonKernel>;

}  // namespace prequel
