#include "server/stop_signal.h"

#include <pthread.h>
#include <signal.h>

#include <cstdlib>

#include "server/log/stderr_log.h"

namespace prequel {
namespace {

sigset_t Signals() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  return signals;
}

// Whoever reads the log may have stopped to: then nothing is said.
void EndTheProcess() {
  constexpr std::chrono::milliseconds kForTheLine{300};
  std::thread([] {
    LogLine(Severity::kWarning,
            "stopped before all work was done; the next start folds what is in the log");
    std::_Exit(EXIT_SUCCESS);
  }).detach();
  std::this_thread::sleep_for(kForTheLine);
  std::_Exit(EXIT_SUCCESS);
}

}  // namespace

void StopSignal::Block() {
  const sigset_t signals = Signals();
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

StopSignal::StopSignal(std::chrono::milliseconds patience)
    : patience_(patience), thread_([this] { Loop(); }) {}

StopSignal::~StopSignal() {
  {
    MutexLock lock(mu_);
    over_ = true;
  }
  changed_.NotifyAll();
  pthread_kill(thread_.native_handle(), SIGTERM);  // it may still wait for one
  thread_.join();
}

int StopSignal::Await(std::chrono::milliseconds timeout) {
  const auto until = std::chrono::steady_clock::now() + timeout;
  MutexLock lock(mu_);
  while (signal_ == 0 && changed_.WaitUntil(mu_, until)) {
  }
  return signal_;
}

void StopSignal::Loop() {
  const sigset_t signals = Signals();
  int signal = 0;
  sigwait(&signals, &signal);
  const auto until = std::chrono::steady_clock::now() + patience_;
  {
    MutexLock lock(mu_);
    signal_ = signal;
    changed_.NotifyAll();
    while (!over_ && changed_.WaitUntil(mu_, until)) {
    }
    if (over_) return;
  }
  EndTheProcess();
}

}  // namespace prequel
