// Whether every model that was there at the start has been replayed.
#pragma once

#include <cstddef>

#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe.
class Readiness {
 public:
  // Expect: `models` models are to be replayed. Called once, first.
  void Expect(std::size_t models) {
    MutexLock lock(mu_);
    left_ = models;
  }
  void OneDone() {
    MutexLock lock(mu_);
    if (--left_ == 0) changed_.NotifyAll();
  }
  // GiveUp: the models that are left never will be replayed.
  void GiveUp() {
    MutexLock lock(mu_);
    given_up_ = true;
    changed_.NotifyAll();
  }

  bool ready() const {
    MutexLock lock(mu_);
    return left_ == 0;
  }
  // Await returns once the models are ready, or given up.
  void Await() const {
    MutexLock lock(mu_);
    while (left_ > 0 && !given_up_) changed_.Wait(mu_);
  }

 private:
  mutable Mutex mu_;
  mutable CondVar changed_;
  std::size_t left_ ABSL_GUARDED_BY(mu_) = 0;
  bool given_up_ ABSL_GUARDED_BY(mu_) = false;
};

}  // namespace prequel
