// The cores, as threads in the foreground and in the background divide them.
#pragma once

#include <time.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe. Threads in the background have what the others leave (sync/background.h), and that
// is nothing while the others always have more to do. So that it is something, jobs in the
// foreground are held back for some milliseconds whenever the background has had less than a tenth
// of the processor time that it could have used.
class Cores {
 public:
  enum class Where { kForeground, kBackground };
  using Time = std::chrono::steady_clock::time_point;
  // Tests have times that they set themselves.
  struct Clocks {
    Time (*now)();
    double (*used)(clockid_t thread);  // seconds of the processor
  };
  static Clocks RealClocks();

  // REQUIRES: count > 0.
  explicit Cores(int count, Clocks clocks = RealClocks()) : count_(count), clocks_(clocks) {}
  Cores(const Cores&) = delete;
  Cores& operator=(const Cores&) = delete;

  // The calling thread, which is in the background from now on, for good. Outlived by the cores.
  class Background {
   public:
    explicit Background(Cores& cores);
    ~Background();
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;

   private:
    friend class Cores;
    Cores& cores_;
    clockid_t clock_{};
    double used_ = 0;  // by clock_, when last looked at; guarded by cores_.mu_
  };

  // So many more threads of the background, or fewer, have something to do; also one that has not
  // come to it yet, which may take long.
  void Want(int threads);

  // The calling thread, in the foreground, begins a job, and ends it.
  void Begin() { running_.fetch_add(1, std::memory_order_relaxed); }
  void End() { running_.fetch_sub(1, std::memory_order_relaxed); }
  // Whether it is to begin none now: when to ask again.
  std::optional<Time> PausedUntil();

  // What the pauses come to in which jobs were to be held back, in all.
  double paused_seconds() const { return paused_seconds_.load(std::memory_order_relaxed); }

 private:
  // At what the background has had since the last time; sets the next pause.
  void Look(Time now);

  const int count_;
  const Clocks clocks_;
  std::atomic<int> wanted_ = 0;   // threads of the background that have something to do
  std::atomic<int> running_ = 0;  // jobs of the foreground that have begun
  std::atomic<int> held_ = 0;     // cores on which none begins until the end of the pause
  std::atomic<Time> wanted_since_ = Time();
  std::atomic<Time> next_look_ = Time(), paused_until_ = Time();
  std::atomic<double> paused_seconds_ = 0;
  Mutex mu_;
  std::vector<Background*> background_ ABSL_GUARDED_BY(mu_);
  Time looked_ ABSL_GUARDED_BY(mu_) = Time();
  double owed_ ABSL_GUARDED_BY(mu_) = 0;  // seconds of the processor to the background
};

}  // namespace prequel
