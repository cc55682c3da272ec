// How a step length falls with the steps taken.
#pragma once

#include <cstdint>
#include <vector>

#include "core/config/options.h"
#include "core/linalg/types.h"

namespace prequel {

// The factor on α at step t = 0, 1, …:
//   constant    1
//   multi_step  decay^(number of milestones ≤ t)
//   cosine      ½ (1 + cos(π t/T)), 0 from step T on
struct Schedule {
  enum class Kind { kConstant, kMultiStep, kCosine };

  Kind kind = Kind::kConstant;
  std::vector<Index> milestones;
  double decay = 0.1;
  Index steps = 0;  // T

  double Factor(std::int64_t t) const;

  // Reads "schedule" and, of multi_step, "milestones" and "decay"; of cosine, "schedule_steps".
  void Configure(Options& options);
};

}  // namespace prequel
