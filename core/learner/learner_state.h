// All that a model knows: the value that is folded, published, snapshotted and replayed.
#pragma once

#include <cstdint>
#include <vector>

#include "core/calibration/calibration.h"
#include "core/change/change.h"
#include "core/dynamics/event_times.h"
#include "core/dynamics/mixing.h"
#include "core/dynamics/restarts.h"
#include "core/encoding/encoder.h"
#include "core/encoding/target_encoder.h"
#include "core/scores/evaluation.h"
#include "core/skill/references.h"

namespace prequel {

struct Belief;  // learner/belief.h: only the fold looks into one

// What the beliefs of a model share.
struct CommonState {
  std::int64_t revision = 0;  // minibatches folded in
  std::int64_t examples = 0;  // examples learned from
  EncoderState inputs;
  TargetState targets;
  Evaluation evaluation;
  ChangeState change;  // whether the world has changed
  EventTimes times;    // when the rows happened, where they say

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("revision", s.revision);
    a.Value("examples", s.examples);
    a.Value("inputs", s.inputs);
    a.Value("targets", s.targets);
    a.Value("evaluation", s.evaluation);
    a.Value("change", s.change);
    a.Value("times", s.times);
  }
};

// Copying into a state of the same shape allocates nothing.
struct LearnerState : CommonState {
  LearnerState();
  LearnerState(const LearnerState&);
  LearnerState(LearnerState&&) noexcept;
  LearnerState& operator=(const LearnerState&);
  LearnerState& operator=(LearnerState&&) noexcept;
  ~LearnerState();

  CommonState& common() { return *this; }
  const CommonState& common() const { return *this; }

  std::vector<Belief> beliefs;   // at least one
  MixingState mixing;            // of the weights of hypotheses
  RestartState restarts;         // of the runs
  CalibrationState calibration;  // of what is predicted
  ReferenceState references;     // what the evaluation compares with
};

}  // namespace prequel
