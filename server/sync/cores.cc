#include "server/sync/cores.h"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "server/sync/background.h"

namespace prequel {
namespace {

using Clock = std::chrono::steady_clock;

// Of the processor time that it could use, the background has so much for certain.
constexpr double kPart = 0.1;
// How often somebody looks.
constexpr double kLookSeconds = 0.05;
// What it had beyond its part counts for so long: a moment without a core is no famine.
constexpr double kCreditSeconds = 1;
constexpr double kLongestPause = 0.01;
constexpr double kShortestPause = 1e-3;
// A pause ends when the background has nothing to do: who waits for its end asks as often.
constexpr std::chrono::microseconds kAskEvery(500);

double SecondsOf(Clock::duration time) { return std::chrono::duration<double>(time).count(); }

Clock::duration DurationOf(double seconds) {
  return std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

double UsedSeconds(clockid_t thread) {
  timespec time{};
  clock_gettime(thread, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

Cores::Clocks Cores::RealClocks() { return {Clock::now, UsedSeconds}; }

Cores::Background::Background(Cores& cores) : cores_(cores) {
  pthread_getcpuclockid(pthread_self(), &clock_);
  {
    MutexLock lock(cores_.mu_);
    used_ = cores_.clocks_.used(clock_);
    cores_.background_.push_back(this);
  }
  EnterBackground();
}

Cores::Background::~Background() {
  MutexLock lock(cores_.mu_);
  std::erase(cores_.background_, this);
}

void Cores::Want(int threads) {
  if (threads == 0) return;
  const int before = wanted_.fetch_add(threads, std::memory_order_relaxed);
  if (before == 0) wanted_since_.store(clocks_.now(), std::memory_order_relaxed);
}

std::optional<Cores::Time> Cores::PausedUntil() {
  if (wanted_.load(std::memory_order_relaxed) == 0) return {};
  const Time now = clocks_.now();
  if (now >= next_look_.load(std::memory_order_relaxed)) Look(now);
  const Time until = paused_until_.load(std::memory_order_relaxed);
  const int free = count_ - running_.load(std::memory_order_relaxed);
  if (until <= now || free > held_.load(std::memory_order_relaxed)) return {};
  return std::min(until, now + kAskEvery);
}

// In the T seconds since the last look, or since they had nothing to do, J threads could have used
// M = min(n, J) of n cores, and used U:
//
//   owed ← owed + part · M T − U
//
// For owed / M seconds as many jobs are held back as free M cores. Others want these as well:
// gRPC's threads, and other programs. So as long as that is not enough it is twice as many each
// time.
void Cores::Look(Time now) {
  // Who has it looks; or it is a thread of the background, which may have it for long.
  if (!mu_.TryLock()) return;
  // Another one has looked since this one read the time.
  if (now < next_look_.load(std::memory_order_relaxed)) return mu_.Unlock();
  double used = 0;
  for (Background* thread : background_) {
    const double seconds = clocks_.used(thread->clock_);
    used += seconds - std::exchange(thread->used_, seconds);
  }
  const int at_once = std::clamp(wanted_.load(std::memory_order_relaxed), 1, count_);
  const Time from =
      std::max(std::exchange(looked_, now), wanted_since_.load(std::memory_order_relaxed));
  // Where nobody has looked for longer, nobody else wanted the cores.
  const double since = std::clamp(SecondsOf(now - from), 0.0, 2 * kLookSeconds);
  const double most = kLongestPause * at_once;
  owed_ =
      std::clamp(owed_ + kPart * at_once * since - used, -kPart * at_once * kCreditSeconds, most);
  const double pause = owed_ / at_once;
  if (pause >= kShortestPause) {
    const int held = held_.load(std::memory_order_relaxed);
    held_.store(std::clamp(owed_ < most ? held : 2 * held, at_once, count_),
                std::memory_order_relaxed);
    paused_until_.store(now + DurationOf(pause), std::memory_order_relaxed);
    paused_seconds_.store(paused_seconds() + pause, std::memory_order_relaxed);
  } else {
    held_.store(0, std::memory_order_relaxed);
  }
  next_look_.store(now + DurationOf(kLookSeconds), std::memory_order_relaxed);
  mu_.Unlock();
}

}  // namespace prequel
