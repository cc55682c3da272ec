#include "core/rules/logistic_closed_form.h"

#include <cmath>
#include <numbers>

namespace prequel {
namespace {

constexpr int kMaxOuter = 100;
constexpr int kMaxInner = 200;

double Sigmoid(double f) {
  return f >= 0 ? 1 / (1 + std::exp(-f)) : std::exp(f) / (1 + std::exp(f));
}

double Shrink(double nu) {
  constexpr double kBetaSquared = 8 / std::numbers::pi;
  return std::sqrt(kBetaSquared / (nu + kBetaSquared));
}

// SolveMean is the root of a + ν₀ σ(k a) = a₀ + ν₀ y in [a₀ + ν₀(y − 1), a₀ + ν₀ y], where the left
// side is increasing: Newton's step while it stays inside the bracket, else bisection.
double SolveMean(double a0, double nu0, double y, double k) {
  double low = a0 + nu0 * (y - 1), high = a0 + nu0 * y;
  double a = 0.5 * (low + high);
  for (int i = 0; i < kMaxInner; ++i) {
    const double p = Sigmoid(k * a);
    const double excess = a + nu0 * p - (a0 + nu0 * y);
    (excess > 0 ? high : low) = a;
    double next = a - excess / (1 + nu0 * k * p * (1 - p));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (std::abs(next - a) <= 1e-15 * (1 + std::abs(a))) return next;
    a = next;
  }
  return a;
}

}  // namespace

LogisticRoot SolveLogisticRoot(double a0, double nu0, double y) {
  LogisticRoot root{a0, nu0, Shrink(nu0)};
  for (int i = 0; i < kMaxOuter; ++i) {
    root.k = Shrink(root.nu);
    root.a = SolveMean(a0, nu0, y, root.k);
    const double p = Sigmoid(root.k * root.a);
    const double nu = nu0 / (1 + nu0 * root.k * p * (1 - p));
    const double change = std::abs(nu - root.nu);
    root.nu = nu;
    if (change <= 1e-14 * nu0) break;
  }
  root.k = Shrink(root.nu);
  root.a = SolveMean(a0, nu0, y, root.k);
  return root;
}

absl::Status FitLogisticClosedForm(const Expansion& expansion, const FullGaussian& prior,
                                   Matrix& jacobian, Vector& gain, FullGaussian& next) {
  expansion.Jacobian(jacobian);
  next = prior;
  gain.resize(prior.size());
  for (Index i = 0; i < jacobian.cols(); ++i) {
    const double y = expansion.targets()(0, i);
    gain.noalias() = next.covariance.selfadjointView<Eigen::Lower>() * jacobian.col(i);
    const double a0 = next.mean.dot(jacobian.col(i));
    const double nu0 = gain.dot(jacobian.col(i));
    const LogisticRoot root = SolveLogisticRoot(a0, nu0, y);
    const double p = Sigmoid(root.k * root.a);
    const double curvature = root.k * p * (1 - p);
    next.mean += gain * (y - p);
    next.covariance.selfadjointView<Eigen::Lower>().rankUpdate(gain,
                                                               -curvature / (1 + nu0 * curvature));
  }
  if (!next.IsFinite()) return absl::InternalError("the closed-form step is not finite");
  return absl::OkStatus();
}

}  // namespace prequel
