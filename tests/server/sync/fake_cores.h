// The cores by a time that tests set.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "server/sync/cores.h"

namespace prequel {

// So many, with one thread in the background, which uses what it is told. One at a time.
class FakeCores {
 public:
  explicit FakeCores(int count) : cores_(count, {Now, Used}) {
    // Ahead of the real one: who is held back sleeps for about a second, and does not spin.
    now_ = std::chrono::steady_clock::now() + std::chrono::seconds(1);
    used_ = 0;
    std::promise<void> there;
    background_ = std::thread([this, &there] {
      const Cores::Background background(cores_);
      there.set_value();
      end_.get_future().wait();
    });
    there.get_future().wait();
  }
  ~FakeCores() {
    end_.set_value();
    background_.join();
  }
  FakeCores(const FakeCores&) = delete;
  FakeCores& operator=(const FakeCores&) = delete;

  Cores& cores() { return cores_; }
  bool Paused() { return cores_.PausedUntil().has_value(); }

  // So much time goes by, of which the background has so much of the processor.
  static void Pass(double seconds, double used) {
    used_.store(used_.load() + used);  // before others see that time goes by
    now_.store(now_.load() + std::chrono::duration_cast<Cores::Time::duration>(
                                 std::chrono::duration<double>(seconds)));
  }

  // The background has nothing, for some seconds, or until jobs are held back.
  void Starve() {
    for (int i = 0; i < 1000 && !Paused(); ++i) Pass(5e-3, 0);
  }
  // The same, beside threads that begin: while one of them enters nobody looks.
  void StarveUntilPaused() {
    while (!Paused()) {
      Pass(5e-3, 0);
      std::this_thread::yield();
    }
  }

  static Cores::Time Now() { return now_; }

 private:
  static double Used(clockid_t /*thread*/) { return used_; }

  static inline std::atomic<Cores::Time> now_ = Cores::Time();
  static inline std::atomic<double> used_ = 0;

  Cores cores_;
  std::promise<void> end_;
  std::thread background_;
};

}  // namespace prequel
