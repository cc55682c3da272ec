#include "core/calibration/offset_logistic.h"

#include <cmath>
#include <numbers>

namespace prequel {
namespace {

double Shrink(double variance) {
  constexpr double kBetaSquared = 8 / std::numbers::pi;
  return std::sqrt(kBetaSquared / (variance + kBetaSquared));
}

// SolveMean is the root of a + ν σ(k a) = a₀ + ν y, where the left side increases: Newton's step
// while it stays inside the bracket, else bisection.
double SolveMean(double a0, double nu, double y, double k) {
  double low = a0 + nu * (y - 1), high = a0 + nu * y;
  double a = a0;
  for (int i = 0; i < 60; ++i) {
    const double p = Sigmoid(k * a);
    const double excess = a + nu * p - (a0 + nu * y);
    (excess > 0 ? high : low) = a;
    double next = a - excess / (1 + nu * k * p * (1 - p));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    // The error left is about the square of the last step.
    if (std::abs(next - a) <= 1e-4 * (1 + std::abs(a))) return next;
    a = next;
  }
  return a;
}

}  // namespace

double ShrunkLogOdds(double a, double nu) { return Shrink(nu) * a; }

LogisticStep StepOfRow(double a, double nu, double y) {
  const double k = Shrink(nu);
  const double p = Sigmoid(k * SolveMean(a, nu, y, k));
  return {.slope = y - p, .curvature = k * p * (1 - p)};
}

}  // namespace prequel
