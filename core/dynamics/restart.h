// A world that stands still until it becomes another one, at a rate of h per row: the beliefs are
// runs, each of which learned what came since a restart of its own (core/dynamics/run_lengths.h).
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/dynamics/run_lengths.h"

namespace prequel {

// Options:
//   hazard  h in (0, 1] per row; 1e-3 unless given
//   runs    K in [2, 16]: those that are held, the likeliest; 8 unless given
class Restart : public DynamicsDefaults {
 public:
  static constexpr std::string_view kName = "restart";
  static constexpr bool kMoves = true;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options, const MovingModel& /*model*/) {
    double hazard = 1e-3;
    Index runs = 8;
    options.Describe("a world that stands still until it becomes another one",
                     "a model's for each run");
    options.Help("rate at which the world starts anew, per row").Positive("hazard", &hazard, 1);
    options.Help("runs that are held: the likeliest")
        .Integer("runs", &runs, 2, RunLengths::kMostRuns);
    hypotheses_ = {.drifts = runs, .hazard = hazard, .are_runs = true};
    return options.Finish();
  }

  const Hypotheses& hypotheses(Index /*scales*/) const { return hypotheses_; }
  // Moves: a run stands still while it lasts.
  static bool Moves(Index /*belief*/) { return false; }
  template <class Q>
  void Move(const Passage& /*passage*/, Q& /*q*/, DynamicsScratch& /*scratch*/) const {}

 private:
  Hypotheses hypotheses_;
};

}  // namespace prequel
