// What a likelihood says of itself unless it says otherwise.
#pragma once

#include "absl/status/status.h"
#include "core/config/learner_config.h"
#include "core/likelihoods/noise_model.h"

namespace prequel {

// Link is the function from logits to the parameter of the likelihood: a rule that is made for one
// of them asks for it.
enum class Link { kIdentity, kLogistic, kSoftmax, kLog };

struct LikelihoodDefaults {
  // Whether targets can be standardised: f + a and b f say what f says, in other units.
  static constexpr bool kHasUnits = false;
  // Whether targets are counts: how large they have been is then part of the state.
  static constexpr bool kCounts = false;
  // Whether Expand and LearnNoise can take one row to count less than another.
  static constexpr bool kWeighsRows = false;
  // standardizes: whether targets are standardised where the configuration does not say.
  bool standardizes() const { return false; }

  // CompleteTarget fills in what a target leaves open and this likelihood knows.
  static void CompleteTarget(TargetConfig& /*target*/) {}

  NoiseModel noise() const { return {}; }

  // LearnNoise adds what a minibatch says of the noise to what is known of it: nothing.
  static absl::Status LearnNoise(const NoiseEvidence& /*evidence*/, NoiseState& /*noise*/) {
    return absl::OkStatus();
  }
};

}  // namespace prequel
