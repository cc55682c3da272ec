// What made the revisions of a simulated model, and the plain fold of it.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "core/learner/learner.h"
#include "tests/server/engine/fake_world.h"

namespace prequel {

// A minibatch, or a return to an earlier revision.
struct SimulatedEvent {
  int producer = -1;
  std::int64_t sequence = 0;
  std::int64_t returned_to = 0;
};
using SimulatedEvents = std::map<std::int64_t, SimulatedEvent>;  // by revision

// Every 13th minibatch is too wide.
inline bool IsNonsense(std::int64_t sequence) { return sequence % 13 == 5; }
// What a minibatch is: a function of its producer and number.
inline Batch SimulatedBatch(int producer, std::int64_t sequence) {
  const int seed = static_cast<int>(31 * sequence) + 7 * producer;
  return MakeBatch(seed, IsNonsense(sequence) ? 3 : 2, 2);
}

// The state that the first `revision` events lead to.
inline absl::StatusOr<LearnerState> FoldEvents(const Learner& learner,
                                               const SimulatedEvents& events,
                                               std::int64_t revision) {
  Scratch scratch;
  std::vector<LearnerState> states = {learner.Initial()};
  for (std::int64_t r = 1; r <= revision; ++r) {
    const auto it = events.find(r);
    if (it == events.end()) {
      return absl::NotFoundError(absl::StrCat("nothing made revision ", r));
    }
    LearnerState next = learner.Initial();
    if (it->second.producer < 0) {
      next = states[static_cast<std::size_t>(it->second.returned_to)];
      next.revision = r;
    } else {
      const Batch batch = SimulatedBatch(it->second.producer, it->second.sequence);
      absl::Status status = learner.Update(states.back(), batch, scratch, next).status();
      if (!status.ok()) return status;
    }
    states.push_back(std::move(next));
  }
  return std::move(states.back());
}

}  // namespace prequel
