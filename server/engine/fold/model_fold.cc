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
      parts_(std::move(from.parts)) {}

void ModelFold::Advance(const Origin& origin, std::int64_t time_us,
                        const absl::StatusOr<Learned>& answer, std::shared_ptr<LearnerState> next) {
  const std::uint64_t offset = current_.next_offset++;
  if (next != nullptr) {
    next->revision = ++current_.revision;
    current_.state = std::move(next);
  }
  const FoldedRecord record{.origin = origin,
                            .offset = offset,
                            .time_us = time_us,
                            .revision = current_.revision,
                            .answer = answer};
  std::apply([&record](auto&... parts) { (parts.Note(record), ...); }, parts_);
}

}  // namespace prequel
