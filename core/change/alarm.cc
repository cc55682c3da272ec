#include "core/change/alarm.h"

#include <cmath>

namespace prequel {

bool AlarmState::IsSound(std::int64_t columns, std::int64_t now) const {
  return level >= 0 && level <= 1 && revision >= 0 && revision <= now &&
         times >= (raised ? 1 : 0) && times <= now && found.column >= -1 &&
         found.column < columns && std::isfinite(found.before) && std::isfinite(found.after);
}

void AlarmState::Update(double now_at, const Thresholds& thresholds, std::int64_t now,
                        const Finding& finding) {
  level = now_at;
  if (raised ? level >= thresholds.clear : level <= thresholds.raise) return;
  raised = !raised;
  revision = now;
  if (!raised) return;
  // An alarm counts once a revision, however often one of many rows goes back and forth.
  if (times < now) ++times;
  found = finding;
}

}  // namespace prequel
