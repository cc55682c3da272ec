// States that one model's updates write into, used again once their last reader has let go.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/learner/learner.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Lives as long as any state taken from it.
class StatePool : public std::enable_shared_from_this<StatePool> {
 public:
  explicit StatePool(std::shared_ptr<const Learner> learner) : learner_(std::move(learner)) {}

  // A state to overwrite: its content is unspecified but valid. Its last holder returns it,
  // whichever thread that is: the lock orders that thread's reads before the next writes.
  std::shared_ptr<LearnerState> Take();

 private:
  // The published one, the one before it, and one that is being written.
  static constexpr std::size_t kMaxFree = 3;

  void Return(std::unique_ptr<LearnerState> state);

  const std::shared_ptr<const Learner> learner_;
  Mutex mu_;
  std::vector<std::unique_ptr<LearnerState>> free_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
