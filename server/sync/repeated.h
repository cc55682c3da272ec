// A function that is called again and again, on a thread of its own.
#pragma once

#include <chrono>
#include <functional>
#include <thread>
#include <utility>

#include "server/sync/mutex.h"

namespace prequel {

class Repeated {
 public:
  // Calls `work` with `pause` between the end of one call and the next.
  Repeated(std::chrono::milliseconds pause, std::function<void()> work)
      : pause_(pause), work_(std::move(work)), thread_([this] { Loop(); }) {}

  // Waits for a call in progress.
  ~Repeated() {
    {
      MutexLock lock(mu_);
      stopping_ = true;
    }
    wake_.NotifyAll();
    thread_.join();
  }
  Repeated(const Repeated&) = delete;
  Repeated& operator=(const Repeated&) = delete;

 private:
  void Loop() {
    while (Pause()) work_();
  }

  // False when stopping.
  bool Pause() {
    MutexLock lock(mu_);
    const auto until = std::chrono::steady_clock::now() + pause_;
    while (!stopping_ && wake_.WaitUntil(mu_, until)) {
    }
    return !stopping_;
  }

  const std::chrono::milliseconds pause_;
  const std::function<void()> work_;
  Mutex mu_;
  CondVar wake_;
  bool stopping_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace prequel
