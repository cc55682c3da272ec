#include "server/engine/fold/state_pool.h"

#include <utility>

namespace prequel {

std::shared_ptr<LearnerState> StatePool::Take() {
  std::unique_ptr<LearnerState> state;
  {
    MutexLock lock(mu_);
    if (!free_.empty()) {
      state = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (state == nullptr) state = std::make_unique<LearnerState>(learner_->Initial());
  return {state.release(), [pool = shared_from_this()](LearnerState* returned) {
            pool->Return(std::unique_ptr<LearnerState>(returned));
          }};
}

void StatePool::Return(std::unique_ptr<LearnerState> state) {
  // One large state at a time is enough to keep: making another costs little beside an update.
  constexpr Index kLarge = 500;
  const std::size_t most = learner_->num_parameters() > kLarge ? 1 : kMaxFree;
  MutexLock lock(mu_);
  if (free_.size() < most) free_.push_back(std::move(state));
  // Else `state` is freed after the lock is released: parameters outlive locals.
}

}  // namespace prequel
