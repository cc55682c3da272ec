#include "core/linalg/special.h"

#include <math.h>  // lgamma_r, which unlike std::lgamma writes no global

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/SpecialFunctions>

namespace prequel {
namespace {

// μ − log(1 + μ), without cancellation near 0.
double Log1pRemainder(double mu) {
  if (std::abs(mu) > 0.1) return mu - std::log1p(mu);
  double sum = 0, power = mu * mu;
  for (int k = 2; k <= 18; ++k, power *= -mu) sum += power / k;
  return sum;
}

// Temme 1979, the first term of the uniform expansion, with x = a (1 + μ), ½ η² = μ − log(1 + μ):
//   Q(a, x) = ½ erfc(η √(a/2)) + e^{−½ a η²}/√(2πa) · (1/μ − 1/η + O(1/a))
double UniformUpperGamma(double a, double x) {
  const double mu = (x - a) / a;
  const double half_square = Log1pRemainder(mu);
  const double eta = std::copysign(std::sqrt(2 * half_square), mu);
  const double correction =
      std::abs(eta) < 1e-3 ? -1.0 / 3 + eta * (1.0 / 12 - eta * (2.0 / 135)) : 1 / mu - 1 / eta;
  return 0.5 * std::erfc(eta * std::sqrt(a / 2)) +
         std::exp(-a * half_square) / std::sqrt(2 * std::numbers::pi * a) * correction;
}

}  // namespace

double LogGamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

double Digamma(double x) { return Eigen::numext::digamma(x); }

// LogGammaHalfStep uses, for large x, its asymptotic series in 1/x (Tricomi and Erdélyi 1951).
double LogGammaHalfStep(double x) {
  if (x < 25) return LogGamma(x + 0.5) - LogGamma(x);
  const double t = 1 / x, t2 = t * t;
  return 0.5 * std::log(x) -
         t * (1.0 / 8 - t2 * (1.0 / 192 - t2 * (1.0 / 640 - t2 * (17.0 / 14336))));
}

double NormalCdf(double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); }

double NormalQuantile(double p) { return Eigen::numext::ndtri(p); }

double Softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

double IncompleteBeta(double a, double b, double x) { return Eigen::numext::betainc(a, b, x); }

double UpperIncompleteGamma(double a, double x) {
  constexpr double kLarge = 1e5;  // where the expansion is the more accurate and the cheaper
  return a > kLarge ? UniformUpperGamma(a, x) : Eigen::numext::igammac(a, x);
}

double ScaledBesselSum(double x) {
  return Eigen::numext::bessel_i0e(x) + Eigen::numext::bessel_i1e(x);
}

}  // namespace prequel
