// Threads that have of the processor what others leave.
#pragma once

#include <sched.h>
#include <sys/resource.h>

namespace prequel {

// How nice they are where the operating system knows nothing better.
inline constexpr int kBackgroundNiceness = 15;

// The calling thread, for good. Niceness would divide the time of a core as well, but a core with a
// niced thread counts as taken: those that are not then wait for each other on the next one. A core
// whose only threads are of SCHED_IDLE counts as free.
inline void EnterBackground() {
  const sched_param none{};
  if (sched_setscheduler(0, SCHED_IDLE, &none) == 0) return;
  (void)setpriority(PRIO_PROCESS, 0, kBackgroundNiceness);
}

// Whether the calling thread is one of them.
inline bool InBackground() {
  return sched_getscheduler(0) == SCHED_IDLE || getpriority(PRIO_PROCESS, 0) >= kBackgroundNiceness;
}

}  // namespace prequel
