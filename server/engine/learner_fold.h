// The fold of one model over its log: what learning and replay have in common.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "core/batch.h"
#include "core/learner.h"
#include "server/engine/snapshot.h"
#include "server/engine/state_pool.h"

namespace prequel {

// One thread at a time.
class LearnerFold {
 public:
  // Starts at the prior, at offset 0.
  explicit LearnerFold(std::shared_ptr<const Learner> learner);

  const Learner& learner() const { return *learner_; }
  const Snapshot& current() const { return current_; }

  // Folds in the record at current().next_offset. After an error the offset has moved on and
  // state and revision have not. Predictions as for Learner::Update.
  // REQUIRES: learner().CheckBatch(batch) is OK.
  absl::StatusOr<Learned> Step(const Batch& batch, Scratch& scratch,
                               const PredictOptions* options = nullptr,
                               Predictions* predictions = nullptr);

 private:
  std::shared_ptr<const Learner> learner_;
  std::shared_ptr<StatePool> states_;
  Snapshot current_;
};

}  // namespace prequel
