#include "core/rules/fit_row.h"

#include <cmath>

#include "core/rules/climb.h"

namespace prequel {
namespace {

// RowObjective is the local ELBO of one row of one logit, f ~ N(f̂ + v a, v/(1 + w v)): all that
// the fit can do to the weights is m + a P x and P⁻¹ + w x xᵀ, for the row's inputs x.
class RowObjective {
 public:
  RowObjective(const Rvga& rule, RowExpansion& row, double mean, double variance)
      : at_mean_(rule.over == Rvga::Over::kMean), row_(row), mean_(mean), variance_(variance) {}

  double Value() {
    const double logit = mean_ + variance_ * trial_;
    if (at_mean_) return row_.Expect(Expectation::kAtMean, logit, 0) - mean_kl();
    return row_.Expect(Expectation::kLinearized, logit, variance_ / spread()) - kl();
  }
  double FirstValue() { return Value(); }
  absl::Status Curve() {
    accepted_ = curvature_;
    curvature_ = row_.curvature();
    score_ = row_.score();
    SolveDirection();
    return absl::OkStatus();
  }
  void KeepCurve() {
    curvature_ = accepted_;
    SolveDirection();
  }
  void Move(double rho) { trial_ = gradient_ + rho * direction_; }
  void Accept() { gradient_ = trial_; }
  void Revert() {
    curvature_ = accepted_;
    trial_ = gradient_;
  }

  // KL(q ‖ prior), nats, and its part that comes from the mean.
  double kl() const { return mean_kl() + 0.5 * (1 / spread() - 1 + std::log(spread())); }
  double mean_kl() const { return 0.5 * variance_ * trial_ * trial_; }

  RowStep step() const { return {.gradient = gradient_, .curvature = curvature_}; }

 private:
  double spread() const { return 1 + curvature_ * variance_; }
  void SolveDirection() { direction_ = (score_ - gradient_) / spread(); }

  const bool at_mean_;
  RowExpansion& row_;
  const double mean_, variance_;                     // f̂, v
  double gradient_ = 0, trial_ = 0, direction_ = 0;  // a
  double curvature_ = 0, accepted_ = 0;              // w
  double score_ = 0;
};

// MeetsBySites: whether the rule is asked for the stationary point of exact expectations, which is
// what a site stands for. A rule that is asked to step explicitly, or at the mean, does so.
bool MeetsBySites(const Rvga& rule) {
  return rule.scheme == Rvga::Scheme::kImplicit && rule.over == Rvga::Over::kLinearized;
}

}  // namespace

bool FitsRow(const Rvga& rule) {
  return rule.over == Rvga::Over::kLinearized || rule.over == Rvga::Over::kMean;
}

absl::Status FitRow(const Rvga& rule, RowExpansion& row, double mean, double variance,
                    StepReport& report, RowStep& step) {
  if (MeetsBySites(rule) && row.has_site()) {
    const RowSite site = row.Site(mean, variance);
    const double spread = 1 + site.curvature * variance;
    step = {.gradient = site.gradient, .curvature = site.curvature};
    report.passes = 1;
    report.local_elbo = site.log_evidence;
    report.kl =
        0.5 * (variance * site.gradient * site.gradient + 1 / spread - 1 + std::log(spread));
    if (std::isfinite(site.gradient) && std::isfinite(site.curvature)) return absl::OkStatus();
    return absl::InternalError("the row's logit is not finite");
  }
  RowObjective objective(rule, row, mean, variance);
  absl::Status status = Climb(rule, objective, 1, report);
  step = objective.step();
  return status;
}

absl::Status FitRow(const Conjugate& /*rule*/, RowExpansion& row, double mean, double variance,
                    StepReport& report, RowStep& step) {
  row.Expect(Expectation::kAtMean, mean, 0);
  const double spread = 1 + row.curvature() * variance;
  step = {.gradient = row.score() / spread, .curvature = row.curvature()};
  report.passes = 1;
  report.kl = 0.5 * (variance * step.gradient * step.gradient + 1 / spread - 1 + std::log(spread));
  return absl::OkStatus();
}

}  // namespace prequel
