#include "server/engine/fold/model_fold.h"

#include <utility>

namespace prequel {

ModelFold::ModelFold(std::shared_ptr<const Learner> learner)
    : learner_(std::move(learner)), states_(std::make_shared<StatePool>(learner_)) {
  current_.state = states_->Take();  // the pool is empty: this one is Initial()
  current_.revision = current_.state->revision;
}

ModelFold::ModelFold(std::shared_ptr<const Learner> learner, FoldPoint from)
    : learner_(std::move(learner)),
      states_(std::make_shared<StatePool>(learner_)),
      current_(std::move(from.current)),
      ledger_(std::move(from.ledger)) {}

void ModelFold::Advance(const Origin& origin, const absl::StatusOr<Learned>& answer,
                        std::shared_ptr<LearnerState> next) {
  ++current_.next_offset;
  if (next != nullptr) {
    next->revision = ++current_.revision;
    current_.state = std::move(next);
  }
  if (origin.anonymous()) return;
  PastAnswer past{.status = answer.status(), .revision = current_.revision};
  if (answer.ok()) past.learned = *answer;
  past.learned.refused.first.clear();  // many answers are remembered, so each is small
  past.learned.refused.first.shrink_to_fit();
  past.learned.unseen_categories = 0;  // no snapshot keeps it
  ledger_.Record(origin, std::move(past));
}

}  // namespace prequel
