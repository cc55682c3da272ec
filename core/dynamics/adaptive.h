// A world that may move, at a rate that nobody knows: several beliefs, each with a drift of its own
// (core/dynamics/drift.h) and with noise of its own, and one that begins anew
// (core/dynamics/restarts.h), weighed by what they predict (core/dynamics/mixing.h).
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/drift.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/dynamics/mixing.h"

namespace prequel {

// Options, a number for each belief:
//   rates            r ≥ 0 of the last layer's weights, of the prior's variance per row. Unless
//                    given 0, 1e-5, 1e-3, 1e-2, 0 for a linear model; 0, 1e-3 for a network
//   intercept_rates  that of the outputs' intercepts; unless given 0, 1e-5, 1e-3, 10, 100 and
//                    0, 1e-3, or `rates` where those are given. Of counts, which move by factors
//                    from row to row: rates 0, 1e-5, 1e-3, 0, 0 and 0, 1e-5, 1e-3, 0.03, 0.1
//   cap              κ ≥ 1 of all; unless given 1000, and 1 of counts
//   intercept_cap    that of the outputs' intercepts; unless given it is `cap` of counts and where
//                    `cap` is given, else 1e12
//   noise_rates      ρ ≥ 0 per row; the first is 0. Every belief tracks its noise in as many ways:
//                    in each, what a row said of it counts e^{−ρ} times as much with every row
//                    that comes after. Unless given 0, 1e-2, 1e-1; 0 alone where `rates` are given.
//                    Only of a posterior that is held in units of learned noise
//   dispersion_rates ρ ≥ 0 per row, a number for each belief: the same of the dispersion of counts,
//                    of which a belief has one; its level stays. Unless given 0, 0, 1e-2, 1e-1,
//                    1e-1 of a linear model with all its beliefs, or 0. Only where it is learned
//   scales           which of the prior's scales each belief has, from 0; of a prior that has
//                    several. Needed where `rates` are given; else the belief that does not move
//                    is there once for each scale, and so are the others where that can be
//                    afforded, or they have 0
//   hazard           h ≥ 0 per row, of a restart; 1e-4 of a linear model with all its beliefs, or 0
//   persistence      whether the last target again, as sure as it has been right so far, is
//                    believed beside the beliefs; not unless asked for, since it reads labels that
//                    may come late. Not of counts
// Hidden layers stay as they are. The first belief is what the weights fall back to, so it is best
// the one that does not move.
class Adaptive : public DynamicsDefaults {
 public:
  static constexpr std::string_view kName = "adaptive";
  static constexpr bool kMoves = true;
  static constexpr std::size_t kMostBeliefs = 16, kMostTracks = 8;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options, const MovingModel& model);

  const Hypotheses& hypotheses(Index /*scales*/) const { return hypotheses_; }
  const Mixing& mixing() const { return mixing_; }
  bool Moves(Index belief) const { return DriftOf(belief).moves(); }

  template <Diffusive Q>
  void Move(const Passage& passage, Q& q, DynamicsScratch& scratch) const {
    DriftOf(passage.belief).Move(passage, q, scratch);
  }

 private:
  // Weigh sets the first weights and π, of beliefs that each have one of several drifts.
  void Weigh(const std::vector<Index>& drifts);

  // DriftOf is the drift of a belief; that of restarts, beyond those that drift, does not move.
  Drift DriftOf(Index belief) const {
    const auto k = static_cast<std::size_t>(belief);
    return k < drifts_.size() ? drifts_[k] : Drift();
  }

  std::vector<Drift> drifts_;
  Hypotheses hypotheses_;
  Mixing mixing_;
};

}  // namespace prequel
