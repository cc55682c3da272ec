// The fold of one model over the records of its log: its state, and what it remembers of them.
#pragma once

#include <cstdint>
#include <memory>
#include <tuple>
#include <utility>

#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/fold/fold_parts.h"
#include "server/engine/fold/origin.h"
#include "server/engine/fold/published.h"
#include "server/engine/fold/state_pool.h"

namespace prequel {

// What a fold goes on from.
struct FoldPoint {
  Published current;
  FoldParts parts;
};

// A ModelFold is what records change; they say themselves how they are folded
// (server/engine/records). One thread at a time.
class ModelFold {
 public:
  // Starts at the prior, at offset 0.
  explicit ModelFold(std::shared_ptr<const Learner> learner);
  ModelFold(std::shared_ptr<const Learner> learner, FoldPoint from);

  const std::shared_ptr<const Learner>& learner() const { return learner_; }
  const Published& current() const { return current_; }
  const FoldParts& parts() const { return parts_; }
  template <FoldPart P>
  const P& part() const {
    return std::get<P>(parts_);
  }

  // TakeState gives a state to write the next one into: its content is unspecified but valid.
  std::shared_ptr<LearnerState> TakeState() { return states_->Take(); }

  // Advance: the record at current().next_offset, which `origin` sent and which was logged at
  // `time_us`, has been folded. It led to `next`, which becomes the next revision; or, when that is
  // null, left the state as it was. `origin` is answered `answer`, an error when nothing was
  // learned. The parts are told.
  void Advance(const Origin& origin, std::int64_t time_us, const absl::StatusOr<Learned>& answer,
               std::shared_ptr<LearnerState> next);

  // Release gives up what a fold goes on from.
  FoldPoint Release() && { return {std::move(current_), std::move(parts_)}; }

 private:
  std::shared_ptr<const Learner> learner_;
  std::shared_ptr<StatePool> states_;
  Published current_;
  FoldParts parts_;
};

}  // namespace prequel
