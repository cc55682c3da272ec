// The limited-memory recursive variational Gaussian approximation (Lambert, Bonnabel, Bach 2023):
//   S = diag(Ψ) + W Wᵀ + J_G J_Gᵀ,   m ← m + S⁻¹ Σ_i J_iᵀ E[r_i]
//   (W, Ψ) ← the factor analysis of S: least KL(N(0, S) ‖ N(0, W Wᵀ + diag(Ψ))), by EM
// S is never formed (core/posteriors/compression.h has the loop). The mean moves by S itself, not
// by its approximation: within one minibatch nothing is lost.
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

struct Lrvga : FittingRule {
  static constexpr std::string_view kName = "lrvga";
  static constexpr std::string_view kHolds = "keeps a precision of low rank";

  Index loops = 3;  // of EM, from the largest singular pairs; the paper runs one to three
  Expectation expectation = Expectation::kLinearized;

  absl::Status Configure(Options& options);

  // Fits `local`, which stands at its prior with `expansion` linearised and projected there.
  absl::Status Fit(Expansion& expansion, LocalLowRank& local, const Stream& /*stream*/,
                   RuleScratch& /*scratch*/, StepReport& report, LowRankGaussian& next) const {
    local.Compress({Compression::Kind::kFactorAnalysis, loops});
    return ExplicitStep(expectation, expansion, local, report, next);
  }
};

}  // namespace prequel
