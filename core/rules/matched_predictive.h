// The predictive that answers queries and is scored, when the rule leaves a choice.
#pragma once

#include <string>

#include "core/config/options.h"
#include "core/linalg/types.h"

namespace prequel {

// linearized: f ~ N(f_m(x), J P Jᵀ). monte_carlo: a mixture over `samples` draws of the weights.
// mean: f_m(x), as if the weights were known; one forward pass.
struct MatchedPredictive {
  enum class Kind { kLinearized, kMonteCarlo, kMean };

  Kind kind = Kind::kLinearized;
  Index samples = 32;

  int draws() const { return kind == Kind::kMonteCarlo ? static_cast<int>(samples) : 0; }

  void Configure(Options& options) {
    std::string name = "linearized";
    options.Help("how predictions are made of the posterior")
        .Choice("predictive", &name, {"linearized", "monte_carlo", "mean"});
    kind = name == "monte_carlo" ? Kind::kMonteCarlo
           : name == "mean"      ? Kind::kMean
                                 : Kind::kLinearized;
    if (kind == Kind::kMonteCarlo)
      options.Help("draws of the weights that a prediction mixes")
          .Integer("predictive_samples", &samples, 1, 10000);
  }
};

}  // namespace prequel
