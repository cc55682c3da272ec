// Holds threads between two pieces of their work.
#pragma once

#include <chrono>

#include "server/sync/mutex.h"

namespace prequel::accept {

// Closed at first. Thread-safe.
class Turnstile {
 public:
  explicit Turnstile(int threads) : threads_(threads) {}

  // By each of the threads, before a piece of work: waits until it is open. False: no more work.
  bool Pass();
  // Whether a thread may go on with its piece of work.
  bool IsOpen() const;
  bool IsEnded() const;
  // Lets `time` pass; false as soon as it is open no longer.
  bool StaysOpen(std::chrono::milliseconds time);

  // Waits until every thread waits; false when that has taken longer than `longest`.
  bool Close(std::chrono::seconds longest);
  void Open();
  // For good.
  void End();

 private:
  const int threads_;
  mutable Mutex mu_;
  CondVar changed_;
  bool open_ ABSL_GUARDED_BY(mu_) = false;
  bool ended_ ABSL_GUARDED_BY(mu_) = false;
  int waiting_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel::accept
