// Processor time of the calling thread. For scheduling alone: nothing that is computed may depend
// on it.
#pragma once

#include <time.h>

namespace prequel {

inline double ThreadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A clock such as ThreadSeconds: tests have one that they set themselves.
using ThreadClock = double (*)();

}  // namespace prequel
