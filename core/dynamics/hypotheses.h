// The hypotheses that a model holds in a world that may move. How they are weighed is said in
// core/dynamics/mixing.h.
#pragma once

#include <cstddef>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// DriftRates say how fast a belief becomes less sure, of the prior's variances per row: of the last
// layer's weights and of the outputs' intercepts.
struct DriftRates {
  double rate = 0, intercept_rate = 0;
};

// Every belief with every track of its noise is a hypothesis, in this order:
//   belief 0 with its tracks, belief 1 with its tracks, …, persistence, restarts
// The tracks of a belief share its posterior, for that is held in units of the noise. Or the
// beliefs are runs alone, weighed as such.
struct Hypotheses {
  Index drifts = 1;                    // beliefs, which differ in how they drift or in their prior
  std::vector<Index> scales = {};      // of its prior, of each of them; empty: 0 of all
  std::vector<DriftRates> rates = {};  // of each of them; empty of those that stand still
  std::vector<double> noise_rates = {0};  // ρ ≥ 0 per row, of each track; the first is 0
  // ρ ≥ 0 per row, of each belief that drifts: what it has learned of the dispersion of counts
  // counts e^{−ρ} times as much by each row since. Empty: none forgets.
  std::vector<double> dispersion_rates;
  double hazard = 0;  // of a restart per row; 0: none are thought of
  // One more hypothesis, of no belief: the last target again (core/skill/references.h).
  bool persistence = false;
  bool are_runs = false;  // the beliefs are runs, and nothing else is thought of

  double dispersion_rate_of(Index belief) const {
    const auto k = static_cast<std::size_t>(belief);
    return k < dispersion_rates.size() ? dispersion_rates[k] : 0;
  }
  // restarts: whether one of the hypotheses is that of restarts.
  bool restarts() const { return hazard > 0 && !are_runs; }
  Index tracks() const { return static_cast<Index>(noise_rates.size()); }
  // `beliefs` counts `drifts`, and one more where restarts are thought of, the last: what was
  // learned since the latest restart.
  Index beliefs() const { return drifts + (restarts() ? 1 : 0); }
  Index tracks_of(Index belief) const { return belief < drifts ? tracks() : 1; }
  Index size() const { return drifts * tracks() + (persistence ? 1 : 0) + (restarts() ? 1 : 0); }
  // scale_of: a restart begins as the belief of all rows, the first, did.
  Index scale_of(Index belief) const {
    if (scales.empty()) return 0;
    return scales[static_cast<std::size_t>(belief < drifts ? belief : 0)];
  }
  DriftRates RatesOf(Index belief) const {
    const auto k = static_cast<std::size_t>(belief);
    return k < rates.size() ? rates[k] : DriftRates();
  }
  Index IndexOf(Index belief, Index track) const {
    return belief * tracks() + track + (persistence && belief >= drifts ? 1 : 0);
  }
  Index persistence_index() const { return drifts * tracks(); }
};

// OnePerScale is one belief for each scale of the prior, which differ in nothing else.
inline Hypotheses OnePerScale(Index scales) {
  Hypotheses of{.drifts = scales};
  for (Index scale = 0; scale < scales; ++scale) of.scales.push_back(scale);
  return of;
}

}  // namespace prequel
