// Threads that do long work, and let short work go first.
#pragma once

#include <sys/resource.h>

#include <algorithm>

namespace prequel {

// Where work is done.
enum class Where { kForeground, kBackground };

// How much nicer a thread in the background is than the process: Linux gives it about a third of a
// core that it shares with one busy thread of ordinary priority, of whatever program.
inline constexpr int kBackgroundNiceness = 5;

namespace internal {
inline thread_local bool in_background = false;
}

// Moves the calling thread to the background, for good: Linux has no way back without a privilege.
inline void EnterBackground() {
  constexpr int kNicest = 19;
  const int now = getpriority(PRIO_PROCESS, 0);  // of the calling thread, on Linux
  (void)setpriority(PRIO_PROCESS, 0, std::min(kNicest, now + kBackgroundNiceness));
  internal::in_background = true;
}

// Whether the calling thread is in the background.
inline bool InBackground() { return internal::in_background; }

}  // namespace prequel
