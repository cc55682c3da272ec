// The low-rank extended Kalman filter LoFi (Chang, Duran-Martin, Shestopaloff, Jones, Murphy 2023):
// with J_G the curvature columns of the minibatch, linearised at m_{t−1},
//   W̃ = [W, J_G],  m ← m + (diag(d) + W̃ W̃ᵀ)⁻¹ Σ_i J_iᵀ E[r_i],  W ← U_L Σ_L of W̃ = U Σ Vᵀ
// and, in the diagonal variant, d ← d + diag(W̃ W̃ᵀ − W Wᵀ).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/local_low_rank.h"
#include "core/rules/explicit_step.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/rule_scratch.h"
#include "core/rules/step_report.h"

namespace prequel {

struct Lofi : FittingRule {
  static constexpr std::string_view kName = "lofi";
  static constexpr std::string_view kHolds = "keeps a precision of low rank";

  // spherical: the precision's diagonal stays the prior's, and what has no room is forgotten.
  // diagonal: the diagonal of what has no room is kept.
  Compression compression;
  Expectation expectation = Expectation::kLinearized;

  absl::Status Configure(Options& options);

  // Fits `local`, which stands at its prior with `expansion` linearised and projected there.
  absl::Status Fit(Expansion& expansion, LocalLowRank& local, const Stream& /*stream*/,
                   RuleScratch& /*scratch*/, StepReport& report, LowRankGaussian& next) const {
    local.Compress(compression);
    return ExplicitStep(expectation, expansion, local, report, next);
  }
};

}  // namespace prequel
