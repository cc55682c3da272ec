// One natural-gradient step on a minibatch, with expectations under q_{t−1}.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/expansion/expansion.h"
#include "core/rules/step_report.h"

namespace prequel {

// ExplicitStep writes Λ ← Λ + H, m ← m + Λ⁻¹ Σ_i J_iᵀ E[r_i] to `next`. REQUIRES: `local` (a
// LocalFit) stands at its prior, with `expansion` linearised and projected there.
template <class Local>
absl::Status ExplicitStep(Expectation expectation, Expansion& expansion, Local& local,
                          StepReport& report, typename Local::Posterior& next) {
  expansion.Expect(expectation);
  local.StartCurve();
  local.AddCurve(expansion, 1.0);
  if (absl::Status status = local.SolveCurve(); !status.ok()) return status;
  local.Move(1.0);
  local.Accept();
  report.passes = 1;
  report.kl = local.kl();
  return local.Commit(next);
}

// ConfigureExpectation reads "expectation": "linearized", over the logits f ~ N(f_m, J P Jᵀ), or
// "mean", at f_m.
inline void ConfigureExpectation(Options& options, Expectation* expectation) {
  std::string name = "linearized";
  options.Help("where derivatives of the likelihood are taken: over the logits, or at the mean")
      .Choice("expectation", &name, {"linearized", "mean"});
  *expectation = name == "mean" ? Expectation::kAtMean : Expectation::kLinearized;
}

}  // namespace prequel
