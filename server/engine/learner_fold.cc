#include "server/engine/learner_fold.h"

#include <utility>

namespace prequel {

LearnerFold::LearnerFold(std::shared_ptr<const Learner> learner)
    : learner_(std::move(learner)), states_(std::make_shared<StatePool>(learner_)) {
  current_.state = states_->Take();  // the pool is empty: this one is Initial()
  current_.revision = current_.state->revision;
}

LearnerFold::LearnerFold(std::shared_ptr<const Learner> learner, Restored restored)
    : learner_(std::move(learner)),
      states_(std::make_shared<StatePool>(learner_)),
      current_(std::move(restored.snapshot)),
      ledger_(std::move(restored.ledger)) {}

absl::StatusOr<Learned> LearnerFold::Step(const Origin& origin, const Batch& batch,
                                          Scratch& scratch, const QuerySet* queries,
                                          Answer* answer) {
  std::shared_ptr<LearnerState> next = states_->Take();
  absl::StatusOr<Learned> learned =
      learner_->Update(*current_.state, batch, scratch, *next, queries, answer);
  ++current_.next_offset;
  if (learned.ok()) {
    current_.revision = next->revision;
    current_.state = std::move(next);
  }
  ledger_.Record(origin, {.status = learned.status(),
                          .revision = current_.revision,
                          .learned = learned.ok() ? *learned : Learned()});
  return learned;
}

// The payload is the state's bytes, which say their revision themselves.
std::string EncodeRollback(const Learner& learner, const LearnerState& state) {
  return learner.EncodeState(state);
}

absl::Status LearnerFold::Rollback(std::string_view payload) {
  absl::StatusOr<LearnerState> then = learner_->DecodeState(payload);
  if (then.ok()) {
    Rollback(*std::move(then));
  } else {
    ++current_.next_offset;
  }
  return then.status();
}

void LearnerFold::Rollback(LearnerState then) {
  ++current_.next_offset;
  then.revision = ++current_.revision;
  current_.state = std::make_shared<const LearnerState>(std::move(then));
}

void LearnerFold::Refuse(const Origin& origin, const absl::Status& refusal) {
  ++current_.next_offset;
  ledger_.Record(origin, {.status = refusal, .revision = current_.revision});
}

}  // namespace prequel
