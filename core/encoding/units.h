// The units that a model's weights are held in: where each standardised column has its 0 and its 1.
//
// Running moments move with every row, and weights mean what they were learned as. So units stand
// still until the moments have left them, and when they move, all that is held in them is carried
// over (core/learner/carrying/new_units.h).
#pragma once

#include "core/encoding/running_moments.h"
#include "core/linalg/types.h"

namespace prequel {

struct Units {
  Vector location;
  Vector scale;  // 0 of a column whose values were all alike so far: it counts as 1

  static Units Unknown(Index columns) { return {Vector::Zero(columns), Vector::Zero(columns)}; }

  Index size() const { return location.size(); }
  double Scale(Index i) const { return scale[i] > 0 ? scale[i] : 1; }
  // Whether Follow could have left them.
  bool IsValid() const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("location", s.location);
    a.Value("scale", s.scale);
  }
};

// UnitsChange is what new units make of numbers z in the old ones: z = slope ∘ z' + offset, column
// by column.
struct UnitsChange {
  Vector slope, offset;
};

// UnknownScale says how a scale that was not known is taken to have been, when it becomes known:
// the values were all alike, and their differences none. kAsNew: the same as it is now. kOne: 1,
// where a unit was meant.
enum class UnknownScale { kAsNew, kOne };

// Follow moves `units`, all columns of them, to what the moments say, if in some column they differ
// by more than `tolerance`: of a mean in deviations, of a deviation in itself. Returns whether they
// moved. A scale that is no longer known stays.
bool Follow(const RunningMoments& moments, double tolerance, UnknownScale unknown, Units& units,
            UnitsChange& change);

}  // namespace prequel
