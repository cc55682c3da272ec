#include "core/rules/rvga.h"

#include <string>

#include "core/config/field_error.h"
#include "core/rules/climb.h"
#include "core/rules/logistic_closed_form.h"

namespace prequel {
namespace {

constexpr Index kMatchedSamples = 64;  // of the predictive of a posterior fitted by draws

// Objective is the local objective and its natural-gradient direction, under one way of taking
// expectations.
template <class Local>
class Objective {
 public:
  Objective(const Rvga& rule, Expansion& expansion, Local& local, const Stream& stream,
            RuleScratch& scratch)
      : rule_(rule),
        expansion_(expansion),
        local_(local),
        stream_(stream),
        theta_(scratch.theta),
        draws_(scratch.draws) {}

  // Value is the local ELBO at the current q, nats. In the form at the mean it is
  // log p(y | m) − ½ δᵀΛδ, of which the iterated Kalman filter is the maximiser.
  double Value() {
    if (rule_.draws()) return MonteCarloLogDensity() - local_.kl();
    expansion_.Linearize(local_.mean(), local_.first_uncertain());
    local_.Project(expansion_);
    return ProjectedValue();
  }

  // ProjectedValue is Value when `expansion` is already linearised and projected at the current q.
  double ProjectedValue() {
    if (rule_.over == Rvga::Over::kMean) {
      return expansion_.Expect(Expectation::kAtMean) - local_.mean_kl();
    }
    return expansion_.Expect(Expectation::kLinearized) - local_.kl();
  }

  // Curve finds curvature and direction at the q last valued.
  absl::Status Curve() {
    if (!rule_.draws()) {
      local_.StartCurve();
      local_.AddCurve(expansion_, 1.0);
      return local_.SolveCurve();
    }
    // The draws come from q as it is, so all of them precede StartCurve.
    const double weight = 1.0 / static_cast<double>(rule_.samples);
    draws_.resize(local_.mean().size(), rule_.samples);
    for (Index k = 0; k < rule_.samples; ++k) {
      Draw(k);
      draws_.col(k) = theta_;
    }
    local_.StartCurve();
    for (Index k = 0; k < rule_.samples; ++k) {
      theta_ = draws_.col(k);
      expansion_.Linearize(theta_, local_.first_uncertain());
      local_.Attach(expansion_);
      expansion_.Expect(Expectation::kAtMean);
      local_.AddCurve(expansion_, weight);
    }
    return local_.SolveCurve();
  }

  double FirstValue() { return rule_.draws() ? Value() : ProjectedValue(); }
  void KeepCurve() { local_.KeepCurve(); }
  void Move(double rho) { local_.Move(rho); }
  void Accept() { local_.Accept(); }
  void Revert() { local_.Revert(); }
  double kl() const { return local_.kl(); }

 private:
  // Draw makes antithetic pairs: draws 2j and 2j+1 are m ± the same deviation.
  void Draw(Index k) {
    Stream stream = stream_;
    stream.lane += static_cast<std::uint32_t>(k / 2);
    local_.Draw(stream, k % 2 == 1, theta_);
  }

  double MonteCarloLogDensity() {
    double sum = 0;
    for (Index k = 0; k < rule_.samples; ++k) {
      Draw(k);
      expansion_.Forward(theta_);
      sum += expansion_.Expect(Expectation::kAtMean);
    }
    return sum / static_cast<double>(rule_.samples);
  }

  const Rvga& rule_;
  Expansion& expansion_;
  Local& local_;
  const Stream stream_;
  Vector& theta_;
  Matrix& draws_;
};

}  // namespace

absl::Status Rvga::Configure(Options& options) {
  options.Describe(
      "recursive variational Gaussian approximation: the fixed point of each minibatch",
      "a pass over the minibatch for each inner pass");
  std::string mode_name = "recursive", scheme_name = "implicit", over_name = "linearized";
  options.Help("every minibatch is new data").Choice("mode", &mode_name, {"recursive"});
  options.Help("implicit: to the fixed point of the minibatch; explicit: one step")
      .Choice("scheme", &scheme_name, {"implicit", "explicit"});
  options.Help("what derivatives of the likelihood are averaged over")
      .Choice("expectation", &over_name, {"linearized", "mean", "monte_carlo", "closed_form"});
  options.Help("most inner passes of a minibatch").Integer("passes", &passes, 1, 1000);
  options
      .Help(
          "gain of an inner pass, in nats per example, that ends them; ten times that of a "
          "network's belief that drifts")
      .Real("tolerance", &tolerance, 0, 1e6);
  options.Help("draws of expectation monte_carlo, in pairs").Integer("samples", &samples, 2, 10000);
  scheme = scheme_name == "explicit" ? Scheme::kExplicit : Scheme::kImplicit;
  over = over_name == "mean"          ? Over::kMean
         : over_name == "monte_carlo" ? Over::kMonteCarlo
         : over_name == "closed_form" ? Over::kClosedForm
                                      : Over::kLinearized;
  if (samples % 2 != 0) options.Fail("samples", "must be even: the draws come in pairs m ± ε");
  return options.Finish();
}

absl::Status Rvga::CheckForm(bool has_closed_form) const {
  if (over != Over::kClosedForm || has_closed_form) return absl::OkStatus();
  return FieldError("config.rule.options.expectation",
                    "\"closed_form\" needs model \"linear\", likelihood \"bernoulli\" and "
                    "posterior \"full\"; use \"linearized\"");
}

MatchedPredictive Rvga::PredictiveOf(const NoState& /*state*/) const {
  if (!draws()) return {};
  return {MatchedPredictive::Kind::kMonteCarlo, kMatchedSamples};
}

template <LocalFit Local>
absl::Status Rvga::Fit(Expansion& expansion, Local& local, const Stream& stream,
                       RuleScratch& scratch, StepReport& report,
                       typename Local::Posterior& next) const {
  if constexpr (std::same_as<Local, LocalFull>) {
    if (over == Over::kClosedForm) {
      report.passes = 1;
      return FitLogisticClosedForm(expansion, local.prior(), scratch.draws, scratch.theta, next);
    }
  }
  absl::Status status = Climb(expansion, local, stream, scratch, report);
  return status.ok() ? local.Commit(next) : status;
}

template <LocalFit Local>
absl::Status Rvga::Climb(Expansion& expansion, Local& local, const Stream& stream,
                         RuleScratch& scratch, StepReport& report) const {
  Objective<Local> objective(*this, expansion, local, stream, scratch);
  return prequel::Climb(*this, objective, expansion.examples(), report);
}

template absl::Status Rvga::Fit(Expansion&, LocalFull&, const Stream&, RuleScratch&, StepReport&,
                                FullGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalDiagonal&, const Stream&, RuleScratch&,
                                StepReport&, DiagonalGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalLowRank&, const Stream&, RuleScratch&, StepReport&,
                                LowRankGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalBlockDiagonal&, const Stream&, RuleScratch&,
                                StepReport&, BlockDiagonalGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalPerUnit&, const Stream&, RuleScratch&, StepReport&,
                                PerUnitGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalSubset<LastLayerGaussian>&, const Stream&,
                                RuleScratch&, StepReport&, LastLayerGaussian&) const;
template absl::Status Rvga::Fit(Expansion&, LocalSubset<SubnetworkGaussian>&, const Stream&,
                                RuleScratch&, StepReport&, SubnetworkGaussian&) const;

}  // namespace prequel
