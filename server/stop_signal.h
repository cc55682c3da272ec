// SIGTERM and SIGINT, which ask the process to stop.
#pragma once

#include <chrono>
#include <thread>

#include "server/sync/mutex.h"

namespace prequel {

class StopSignal {
 public:
  // Block keeps both signals, from now on, for whoever waits for them. To be called before there is
  // any other thread, so that all of them inherit it.
  static void Block();

  // A StopSignal waits for one of them. The process ends with success `patience` after it, and a
  // moment for a line of log, whatever it is doing then: all that was answered is in the log, and
  // what is missing of it in the states is folded at the next start, as after a crash. REQUIRES:
  // Block().
  explicit StopSignal(std::chrono::milliseconds patience);
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Await gives the signal that has come; 0 when neither has before `timeout` is over.
  int Await(std::chrono::milliseconds timeout);

 private:
  void Loop();

  const std::chrono::milliseconds patience_;
  Mutex mu_;
  CondVar changed_;
  int signal_ ABSL_GUARDED_BY(mu_) = 0;
  bool over_ ABSL_GUARDED_BY(mu_) = false;
  std::thread thread_;  // last: it uses all of the above
};

}  // namespace prequel
