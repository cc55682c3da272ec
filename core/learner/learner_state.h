// All that a model knows: the value that is folded, published, snapshotted and replayed.
#pragma once

#include <cstdint>
#include <string>

#include "core/encoding/encoder.h"
#include "core/encoding/target_encoder.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rule.h"
#include "core/scores/evaluation.h"

namespace prequel {

// Inverse-gamma knowledge of each output's noise variance, in the units the model learns in.
// Empty unless the likelihood learns its noise.
struct NoiseState {
  Vector shape;  // α
  Vector rate;   // β
};

// Copying into a state of the same shape allocates nothing.
struct LearnerState {
  std::int64_t revision = 0;  // minibatches folded in
  std::int64_t examples = 0;  // examples learned from
  EncoderState inputs;
  TargetState targets;
  NoiseState noise;
  Posterior posterior;
  RuleState rule;
  std::string
      packed;  // of a model with storage float32: those two (core/learner/packing.h), then empty
  Evaluation evaluation;
};

}  // namespace prequel
