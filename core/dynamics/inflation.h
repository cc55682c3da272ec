// One drift (core/dynamics/drift.h), of a rate that is known.
#pragma once

#include <cstddef>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/drift.h"
#include "core/dynamics/dynamics_defaults.h"

namespace prequel {

// Options:
//   rate            r ≥ 0, of the prior's variance per row; 1e-3 unless given
//   intercept_rate  that of the outputs' intercepts; `rate` unless given
//   cap             κ ≥ 1; 1000 unless given
//   intercept_cap   that of the outputs' intercepts; `cap` where that is given, else 1e12
class Inflation : public DynamicsDefaults {
 public:
  static constexpr std::string_view kName = "inflation";
  static constexpr bool kMoves = true;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options, const MovingModel& /*model*/) {
    options.Describe("beliefs grow less sure by the row");
    drift_ = {.rate = 1e-3};
    options.Help("variance that a weight gains per row, in prior variances")
        .Real("rate", &drift_.rate, 0, kMostRate);
    drift_.intercept_rate = drift_.hidden_rate = drift_.rate;
    options.Help("the same of biases; as rate unless given")
        .Real("intercept_rate", &drift_.intercept_rate, 0, kMostRate);
    options.Help("most variance, in prior variances").Real("cap", &drift_.cap, 1, kMostCap);
    if (options.Has("cap")) drift_.intercept_cap = drift_.cap;
    options.Help("the same of biases; as cap where that is given")
        .Real("intercept_cap", &drift_.intercept_cap, 1, kMostCap);
    return options.Finish();
  }

  Hypotheses hypotheses(Index scales) const {
    Hypotheses of = OnePerScale(scales);
    of.rates.assign(static_cast<std::size_t>(scales), {drift_.rate, drift_.intercept_rate});
    return of;
  }
  bool Moves(Index /*belief*/) const { return drift_.moves(); }

  template <Diffusive Q>
  void Move(const Passage& passage, Q& q, DynamicsScratch& scratch) const {
    drift_.Move(passage, q, scratch);
  }

 private:
  Drift drift_;
};

}  // namespace prequel
