// The fold of one model over its log: what learning and replay have in common.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner.h"
#include "server/engine/capture.h"
#include "server/engine/ledger.h"
#include "server/engine/snapshot.h"
#include "server/engine/state_pool.h"

namespace prequel {

// One thread at a time.
class LearnerFold {
 public:
  // Starts at the prior, at offset 0.
  explicit LearnerFold(std::shared_ptr<const Learner> learner);

  // Goes on from a snapshot.
  LearnerFold(std::shared_ptr<const Learner> learner, Restored restored);

  const std::shared_ptr<const Learner>& learner() const { return learner_; }
  const Snapshot& current() const { return current_; }
  const Ledger& ledger() const { return ledger_; }

  // Folds in the minibatch at current().next_offset. After an error the offset has moved on and
  // state and revision have not. Predictions as for Learner::Update.
  // REQUIRES: learner()->CheckBatch(batch) is OK.
  absl::StatusOr<Learned> Step(const Origin& origin, const Batch& batch, Scratch& scratch,
                               const QuerySet* queries = nullptr, Answer* answer = nullptr);

  // The same for a rollback: the state of then becomes the next revision. The ledger stays: what
  // was counted is not to be counted again. DATA_LOSS when `payload` is none.
  absl::Status Rollback(std::string_view payload);
  void Rollback(LearnerState then);

  // Gives up what a fold goes on from.
  Restored Release() && { return {std::move(current_), std::move(ledger_)}; }

  // The same for a refusal: only the ledger takes note of it.
  void Refuse(const Origin& origin, const absl::Status& refusal);

 private:
  std::shared_ptr<const Learner> learner_;
  std::shared_ptr<StatePool> states_;
  Snapshot current_;
  Ledger ledger_;
};

// The payload of a rollback to `state`.
std::string EncodeRollback(const Learner& learner, const LearnerState& state);

}  // namespace prequel
