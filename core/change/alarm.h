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

// Of a level in [0, 1].
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
  // Of `columns` encoded inputs, by a revision that is not before those that it tells of.
  bool IsSound(std::int64_t columns, std::int64_t now) const;

  // Raises it, for what was found, where the level is now above the one threshold; clears it below
  // the other.
  void Update(double now_at, const Thresholds& thresholds, std::int64_t now,
              const Finding& finding);
};

}  // namespace prequel
