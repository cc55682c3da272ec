#include "core/encoding/units.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

// NewScale is the scale of column i as it is to be, 0 where it is not known.
double NewScale(const RunningMoments& moments, const Units& units, Index i) {
  const double known = moments.KnownScale(i);
  return known > 0 ? known : units.scale[i];
}

bool HasLeft(const RunningMoments& moments, double tolerance, const Units& units, Index i) {
  const double before = units.scale[i], now = NewScale(moments, units, i);
  if (before == 0 && now > 0) return true;
  const double unit = now > 0 ? now : 1;
  if (std::abs(moments.mean[i] - units.location[i]) > tolerance * unit) return true;
  return std::max(now, before) > (1 + tolerance) * std::min(now, before);
}

}  // namespace

bool Units::IsValid() const {
  return scale.size() == size() && location.allFinite() && scale.allFinite() &&
         (scale.array() >= 0).all();
}

// With (m, s) before and (m', s') after, (x − m)/s = (s'/s) (x − m')/s' + (m' − m)/s.
bool Follow(const RunningMoments& moments, double tolerance, UnknownScale unknown, Units& units,
            UnitsChange& change) {
  bool left = false;
  for (Index i = 0; i < units.size() && !left; ++i) left = HasLeft(moments, tolerance, units, i);
  if (!left) return false;
  change.slope.resize(units.size());
  change.offset.resize(units.size());
  for (Index i = 0; i < units.size(); ++i) {
    const double known = NewScale(moments, units, i), now = known > 0 ? known : 1;
    const double as_unknown = unknown == UnknownScale::kAsNew ? now : 1;
    const double before = units.scale[i] > 0 ? units.scale[i] : as_unknown;
    change.slope[i] = now / before;
    change.offset[i] = (moments.mean[i] - units.location[i]) / before;
    units.location[i] = moments.mean[i];
    units.scale[i] = known;
  }
  return true;
}

}  // namespace prequel
