// R-VGA, the recursive variational Gaussian approximation (Lambert, Bonnabel, Bach 2022), with the
// generalised Gauss-Newton curvature: for each minibatch, the Gaussian q that maximises the local
// ELBO  L(q) = E_q[Σ_i log p(y_i | θ)] − KL(q ‖ q_{t−1}).
#pragma once

#include <concepts>
#include <string_view>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/rule_scratch.h"
#include "core/rules/step_report.h"

namespace prequel {

// explicit: one natural-gradient step with expectations under q_{t−1}.
// implicit: the stationary point, by the fixed point
//     Λ^{k+1} = Λ_{t−1} + H(q^k)
//     m^{k+1} = m^k − ρ (Λ^{k+1})⁻¹ [G(q^k) + Λ_{t−1} (m^k − m_{t−1})]
// with ρ = 1, 1/2, … until the local ELBO does not fall. Every pass is anchored to q_{t−1}, so the
// minibatch counts once however many passes run.
// A direction follows the expectations as they are linearised at m^k, and ρ is judged by the ELBO
// as it is linearised where the step leads. On a network the two differ by how far the network
// bends within the step: the fixed point may lie beyond the last ρ that does not lower the ELBO.
// Then the iteration ends short of it and says `converged`, for no step along its direction gains.
struct Rvga : FittingRule {
  static constexpr std::string_view kName = "rvga";
  static constexpr std::string_view kHolds = "keeps a covariance";

  enum class Scheme { kImplicit, kExplicit };
  // What G and H are expectations over: the logits, linearised (quadrature, exact for linear
  // models); the mean only (extended Kalman filter); `samples` antithetic draws of θ with common
  // random numbers across passes; or Lambert's closed form for the logistic linear model.
  enum class Over { kLinearized, kMean, kMonteCarlo, kClosedForm };

  Scheme scheme = Scheme::kImplicit;
  Over over = Over::kLinearized;
  Index passes = 10;
  double tolerance = 1e-3;  // nats per example: a pass that gains less ends the iteration
  Index samples = 10;       // Monte Carlo only; even

  absl::Status Configure(Options& options);

  // CheckFor refuses `closed_form`, which is defined only for logistic regression with a full
  // covariance, for everything else.
  template <class Q>
  absl::Status CheckFor(const Setting& setting, const Q& /*prototype*/) const {
    return CheckForm(setting.linear && setting.link == Link::kLogistic && Q::kIsDense);
  }

  // InNoiseUnits: a full covariance of a linear model is held in units of the noise, as `conjugate`
  // has it, so that early minibatches do not keep the guess of the noise that was made in their
  // time.
  template <class Q>
  static bool InNoiseUnits(const Setting& setting, const Q& /*prototype*/) {
    return Q::kIsDense && setting.is_linear_gaussian() && setting.learns_noise;
  }

  // OfDrifting is the rule for a network's belief that drifts. Its last passes gain little, of what
  // it soon forgets: to end them at ten times the tolerance costs at most 0.003 nats a row on seven
  // public sets, in minibatches of 64, and makes `adaptive` up to 1.8 times as fast.
  static Rvga OfDrifting(Rvga rule) {
    rule.tolerance *= 10;
    return rule;
  }

  bool draws() const { return over == Over::kMonteCarlo; }
  Index rounds() const { return draws() ? samples : 1; }
  MatchedPredictive PredictiveOf(const NoState& /*state*/) const;

  // Fits `local`, which stands at its prior, and writes the whole of `next`. Unless draws(),
  // `expansion` must be linearised at the prior mean and projected.
  template <LocalFit Local>
  absl::Status Fit(Expansion& expansion, Local& local, const Stream& stream, RuleScratch& scratch,
                   StepReport& report, typename Local::Posterior& next) const;

 private:
  absl::Status CheckForm(bool has_closed_form) const;
  template <LocalFit Local>
  absl::Status Climb(Expansion& expansion, Local& local, const Stream& stream, RuleScratch& scratch,
                     StepReport& report) const;
};

}  // namespace prequel
