#include "core/distributions/student_t.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargeDof = 1e5;  // beyond, Wallace's normal form is the more accurate

// log density of the standard t.
double StandardLogDensity(double z, double dof) {
  if (std::isinf(dof)) return -0.5 * (z * z + std::log(2 * std::numbers::pi));
  return LogGammaHalfStep(dof / 2) - 0.5 * std::log(dof * std::numbers::pi) -
         0.5 * (dof + 1) * std::log1p(z * z / dof);
}

// P(T ≤ z). Wallace 1959: Φ(± √(ν log(1 + z²/ν)) (8ν + 1)/(8ν + 3)), error O(1/ν²).
double StandardCdf(double z, double dof) {
  if (std::isinf(dof)) return NormalCdf(z);
  if (dof > kLargeDof) {
    const double root = std::sqrt(dof * std::log1p(z * z / dof)) * (8 * dof + 1) / (8 * dof + 3);
    return NormalCdf(std::copysign(root, z));
  }
  const double square = z * z;
  // Near the centre by its distance from ½; elsewhere directly, for relative accuracy in the tail.
  const double tail = square < 1 ? 0.5 - 0.5 * IncompleteBeta(0.5, dof / 2, square / (dof + square))
                                 : 0.5 * IncompleteBeta(dof / 2, 0.5, dof / (dof + square));
  return z < 0 ? tail : 1 - tail;
}

// The root of P(T ≤ z) = p for p < ½: Newton's method on log P, which is concave and increasing,
// inside a bracket that shrinks.
double LowerQuantile(double p, double dof) {
  double high = 0, low = std::min(-1.0, 2 * NormalQuantile(p));
  while (StandardCdf(low, dof) > p && std::isfinite(low)) {
    high = low;
    low *= 2;
  }
  double z = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    const double cdf = StandardCdf(z, dof);
    (cdf > p ? high : low) = z;
    const double slope = std::exp(StandardLogDensity(z, dof)) / cdf;
    double next = z - std::log(cdf / p) / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - z) <= 1e-15 * std::abs(next)) return next;
    z = next;
  }
  return z;
}

// E|T − z| = z (2F(z) − 1) + 2 f(z) (ν + z²)/(ν − 1); for the normal the last factor is 1.
double StandardAbsoluteError(double z, double dof) {
  const double factor = std::isinf(dof) ? 1 : (dof + z * z) / (dof - 1);
  return z * (1 - 2 * StandardCdf(-z, dof)) + 2 * std::exp(StandardLogDensity(z, dof)) * factor;
}

// ½ E|T − T'| = 2√ν/(ν − 1) · B(½, ν − ½)/B(½, ν/2)²; 1/√π for the normal.
double StandardSpread(double dof) {
  if (std::isinf(dof)) return std::numbers::inv_sqrtpi;
  return 2 * std::sqrt(dof) / (dof - 1) * std::numbers::inv_sqrtpi *
         std::exp(2 * LogGammaHalfStep(dof / 2) - LogGammaHalfStep(dof - 0.5));
}

}  // namespace

double StudentT::LogDensity(double y) const {
  return StandardLogDensity((y - location) / scale, dof) - std::log(scale);
}

double StudentT::Cdf(double y) const { return StandardCdf((y - location) / scale, dof); }

double StudentT::Quantile(double p) const {
  if (p == 0.5) return location;
  if (std::isinf(dof)) return location + scale * NormalQuantile(p);
  const double z = p < 0.5 ? LowerQuantile(p, dof) : -LowerQuantile(1 - p, dof);
  return location + scale * z;
}

double StudentT::Crps(double y) const {
  if (!(dof > 1)) return kInfinity;
  return scale * (StandardAbsoluteError((y - location) / scale, dof) - StandardSpread(dof));
}

double StudentT::AbsoluteError(double y) const {
  if (!(dof > 1)) return kInfinity;
  return scale * StandardAbsoluteError((y - location) / scale, dof);
}

double StudentT::Variance() const {
  if (std::isinf(dof)) return scale * scale;
  return dof > 2 ? scale * scale * dof / (dof - 2) : kInfinity;
}

double StudentT::EpistemicVariance() const {
  return epistemic_share == 0 ? 0 : epistemic_share * Variance();
}

double StudentT::AleatoricVariance() const {
  return epistemic_share == 1 ? 0 : (1 - epistemic_share) * Variance();
}

}  // namespace prequel
