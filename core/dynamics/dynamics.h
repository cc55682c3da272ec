// The closed set of dynamics: what time does to a belief before the next minibatch. Adding one is
// one new file and one word in the set.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/adaptive.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/dynamics/forgetting.h"
#include "core/dynamics/inflation.h"
#include "core/dynamics/ou.h"
#include "core/dynamics/restart.h"
#include "core/dynamics/static.h"
#include "core/posteriors/posterior.h"

namespace prequel {

// Dynamics are their options. They see a posterior and the configured prior's variances. They need
// not declare what DynamicsDefaults declares for them.
template <class T>
concept DynamicsType = std::derived_from<T, DynamicsDefaults> &&
    requires(T& t, const T& c, Options& options, const MovingModel& model, Index index,
             const typename T::State& state) {
  { T::kName } -> std::convertible_to<std::string_view>;
  // kMoves: whether beliefs change without data: else the prior is the posterior as it is, and
  // nothing is copied. Such dynamics need a rule in recursive mode, for in dataset mode the data do
  // not move.
  { T::kMoves } -> std::convertible_to<bool>;
  { t.Configure(options, model) } -> std::same_as<absl::Status>;
  { c.hypotheses(index) } -> std::convertible_to<Hypotheses>;
  { c.mixing() } -> std::convertible_to<Mixing>;
  { c.Moves(index) } -> std::same_as<bool>;
  { state.IsSound() } -> std::same_as<bool>;
};

// T moves a posterior Q, to the prior of what comes after the passage, in place. Nothing allocates
// once grown.
template <class T, class Q>
concept MovesPosterior = requires(const T& t, const Passage& passage, Q& q,
                                  DynamicsScratch& scratch) {
  t.Move(passage, q, scratch);
};

template <class T, class Q>
concept AppliesTo = !T::kMoves || MovesPosterior<T, Q>;

template <DynamicsType... Ts>
struct DynamicsSet {
  using Variant = std::variant<Ts...>;
  using States = std::variant<typename Ts::State...>;

  // The place of T's state among the alternatives, several of which may be of one type.
  template <class T>
  static constexpr std::size_t IndexOf() {
    std::size_t index = 0;
    (void)((std::same_as<T, Ts> || (++index, false)) || ...);
    return index;
  }
};

using AllDynamics =
    DynamicsSet<Static, Inflation, Adaptive, Forgetting, OrnsteinUhlenbeck, Restart>;
using Dynamics = AllDynamics::Variant;
using DynamicsState = AllDynamics::States;

// What a model is given that names no dynamics: to follow the world where it may move and several
// beliefs can be afforded, else to stand still.
using FollowingDynamics = Adaptive;
using StandingDynamics = Static;

// The state before the first minibatch.
inline DynamicsState FreshState(const Dynamics& dynamics) {
  return std::visit(
      []<class T>(const T&) {
        return DynamicsState(std::in_place_index<AllDynamics::IndexOf<T>()>);
      },
      dynamics);
}

}  // namespace prequel
