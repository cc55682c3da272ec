// An alarm that is raised by one threshold and cleared by another, so that what lies between them
// changes nothing.
#pragma once

#include <cstdint>

namespace prequel {

// What has changed, as it was found when the alarm was raised last.
struct Finding {
  std::int64_t column = -1;  // of the encoded inputs; −1 of what is no input
  bool spread = false;       // a deviation, else a mean
  double before = 0, after = 0;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("column", s.column);
    a.Value("spread", s.spread);
    a.Value("before", s.before);
    a.Value("after", s.after);
  }
};

// Thresholds of a level in [0, 1]: above `raise` an alarm is raised, below `clear` it is cleared.
struct Thresholds {
  double raise = 1, clear = 0;
};

struct AlarmState {
  double level = 0;
  bool raised = false;
  std::int64_t revision = 0;  // that raised or cleared it last; 0: none has
  std::int64_t times = 0;     // it was raised
  Finding found;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("level", s.level);
    a.Value("raised", s.raised);
    a.Value("revision", s.revision);
    a.Value("times", s.times);
    a.Value("found", s.found);
  }
  // IsSound: whether this could be the alarm of a model with `columns` encoded inputs at revision
  // `now`.
  bool IsSound(std::int64_t columns, std::int64_t now) const;

  // Update sets the level to `now_at`, raises the alarm, with what was found, where that is above
  // thresholds.raise, and clears it below thresholds.clear. `now` is the revision.
  void Update(double now_at, const Thresholds& thresholds, std::int64_t now,
              const Finding& finding);
};

}  // namespace prequel
