// What a fold has come to: one immutable value per revision, which readers see once it is
// published.
#pragma once

#include <cstdint>
#include <memory>

namespace prequel {

struct LearnerState;  // core/learner/learner_state.h

// The state that `revision` updates led to. Never changes; holding it keeps only it alive.
struct Published {
  std::int64_t revision = 0;      // minibatches folded in
  std::uint64_t next_offset = 0;  // of the log: every record before it has been folded
  std::shared_ptr<const LearnerState> state;
};

}  // namespace prequel
