// The extended Kalman filter HiLoFi (Duran-Martin, Sánchez-Betancourt, Cartea, Murphy 2025): full
// over the last layer, of low rank over the hidden ones. With J_G the curvature columns of the
// minibatch, linearised at m_{t−1}, and P = blockdiag(diag(f) + C Cᵀ, P_ℓ),
//   S = I + J_Gᵀ P J_G,  K = P J_G S⁻¹,  m ← m + (P − K S Kᵀ) Σ_i J_iᵀ E[r_i]
// and the covariances as LocalLowRankHidden::Commit has them.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/local_low_rank_hidden.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/rule_scratch.h"
#include "core/rules/step_report.h"

namespace prequel {

struct Hilofi : FittingRule {
  static constexpr std::string_view kName = "hilofi";
  static constexpr std::string_view kHolds = "keeps a covariance of low rank over hidden layers";

  Expectation expectation = Expectation::kLinearized;

  absl::Status Configure(Options& options);

  // Steps `local`, which stands at its prior with `expansion` linearised and projected there.
  absl::Status Fit(Expansion& expansion, LocalLowRankHidden& local, const Stream& /*stream*/,
                   RuleScratch& /*scratch*/, StepReport& report,
                   LowRankHiddenGaussian& next) const {
    expansion.Expect(expectation);
    report.passes = 1;
    absl::Status status = local.Step(expansion);
    report.kl = local.kl();
    return status.ok() ? local.Commit(next) : status;
  }
};

}  // namespace prequel
