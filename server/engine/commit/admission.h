// The bound on what the engine has accepted and not yet answered.
#pragma once

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/clock.h"
#include "server/engine/observer.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Outlives its tickets.
class Admission {
 public:
  // One model's share; guarded by the lock of the Admission it is used with.
  class Account {
    friend class Admission;
    int batches_ = 0;
  };

  // Room for one minibatch; gives it back when destroyed. REQUIRES: the account outlives it.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(Ticket&& other) noexcept { *this = std::move(other); }
    Ticket& operator=(Ticket&& other) noexcept {
      std::swap(admission_, other.admission_);
      std::swap(account_, other.account_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Ticket() {
      if (admission_ != nullptr) admission_->Release(*account_, bytes_);
    }

   private:
    friend class Admission;
    Ticket(Admission* admission, Account* account, std::size_t bytes)
        : admission_(admission), account_(account), bytes_(bytes) {}
    Admission* admission_ = nullptr;
    Account* account_ = nullptr;
    std::size_t bytes_ = 0;
  };

  Admission(int max_batches_per_model, std::size_t max_bytes, const EngineObservers& observers)
      : max_batches_(max_batches_per_model), max_bytes_(max_bytes), observers_(observers) {}

  // RESOURCE_EXHAUSTED when the model's queue or the memory for queues is full (a minibatch that
  // is alone is always let in), UNAVAILABLE once closed.
  absl::StatusOr<Ticket> Admit(Account& account, std::size_t bytes);

  absl::Status CheckOpen() const;
  void Close();
  // Whether every ticket has come back by `deadline`.
  bool AwaitIdle(TimePoint deadline);

 private:
  void Release(Account& account, std::size_t bytes);

  // Constant after construction.
  const int max_batches_;
  const std::size_t max_bytes_;
  const EngineObservers& observers_;

  mutable Mutex mu_;
  CondVar idle_;
  bool closed_ ABSL_GUARDED_BY(mu_) = false;
  std::size_t batches_ ABSL_GUARDED_BY(mu_) = 0;
  std::size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
