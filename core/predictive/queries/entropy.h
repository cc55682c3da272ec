// How uncertain the class is, and why.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/predictive/answer.h"
#include "core/predictive/predictive.h"
#include "core/predictive/queries/asked.h"

namespace prequel {

// entropy            [], nats: of the predictive
// aleatoric_entropy  [], expected entropy given the weights
// epistemic_entropy  [], mutual information of label and weights: the two add up to the entropy
struct Entropy {
  static constexpr std::string_view kName = "entropy";
  static constexpr bool kByDefault = true;
  static constexpr bool kWantsEntropy = true;

  static bool IsOf(const Asked& asked) { return asked.classes; }
  static absl::Status Configure(Options& options) {
    options.Describe("entropy, aleatoric_entropy, epistemic_entropy: [rows], in nats");
    return options.Finish();
  }
  std::vector<Output> Outputs(const Asked& asked) const;
  void Fill(Predictive& predictive, Index first, std::span<Output> out) const;
};

}  // namespace prequel
