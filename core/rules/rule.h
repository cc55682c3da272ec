// The closed set of rules. Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <variant>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/expansion/expansion.h"
#include "core/random/philox.h"
#include "core/rules/adam.h"
#include "core/rules/bbb.h"
#include "core/rules/conjugate.h"
#include "core/rules/hilofi.h"
#include "core/rules/iblr.h"
#include "core/rules/ivon.h"
#include "core/rules/laplace.h"
#include "core/rules/lofi.h"
#include "core/rules/lrvga.h"
#include "core/rules/natural_gradient_svi.h"
#include "core/rules/ogn.h"
#include "core/rules/rule_defaults.h"
#include "core/rules/rule_scratch.h"
#include "core/rules/rule_state.h"
#include "core/rules/rvga.h"
#include "core/rules/sgd.h"
#include "core/rules/slang.h"
#include "core/rules/step_input.h"
#include "core/rules/step_report.h"
#include "core/rules/vadam.h"
#include "core/rules/vogn.h"
#include "core/rules/von.h"

namespace prequel {

// A rule is its options. It sees an Expansion and a posterior, never a network or a label. It need
// not declare what RuleDefaults declares for it.
template <class R>
concept RuleType = std::derived_from<R, RuleDefaults> &&
    requires(R& rule, const R& c, Options& options, const Setting& setting, StepReport& report,
             const typename R::State& state, Index n) {
  { R::kName } -> std::convertible_to<std::string_view>;
  // kHolds says what the rule "keeps" of the weights: why it cannot update some posterior.
  { R::kHolds } -> std::convertible_to<std::string_view>;
  { rule.Configure(options) } -> std::same_as<absl::Status>;
  { c.draws() } -> std::same_as<bool>;
  { c.rounds() } -> std::same_as<Index>;
  // PredictiveOf is the predictive that matches what has been learned, of a posterior with
  // variance.
  { c.PredictiveOf(state) } -> std::same_as<MatchedPredictive>;
  { c.HasCurvature(state) } -> std::same_as<bool>;
  { R::OfDrifting(c) } -> std::same_as<R>;
  c.Describe(state, report);
  { state.IsSound(n) } -> std::same_as<bool>;
  { R::State::Numbers(1.0, 1.0) } -> std::same_as<double>;
};

// Knows: what a rule must say of each family that it updates.
template <class R, class Q>
concept Knows = requires(const R& c, const Setting& setting, const Q& q,
                         const typename R::State& state) {
  { c.CheckFor(setting, q) } -> std::same_as<absl::Status>;
  { c.InNoiseUnits(setting, q) } -> std::same_as<bool>;
  { state.Suits(q) } -> std::same_as<bool>;
};

// R fits a posterior Q: it works on Q's Projector, which stands at its prior with the expansion
// linearised there (unless it draws), and commits it to the next posterior.
template <class R, class Q>
concept Fits = std::derived_from<R, FittingRule> && Knows<R, Q> &&
    requires(const R& rule, Expansion& expansion, typename Q::Projector& local,
             const Stream& stream, RuleScratch& scratch, StepReport& report, Q& next) {
  { local.CheckRoom() } -> std::same_as<absl::Status>;
  { rule.Fit(expansion, local, stream, scratch, report, next) } -> std::same_as<absl::Status>;
};

// R steps a posterior Q: one call per minibatch (and pass) writes the whole of the next posterior
// and state, which may be the very objects that it reads. It need not check that they are finite:
// the fold rejects the minibatch when they are not, and says kRemedy.
template <class R, class Q>
concept Steps = std::derived_from<R, SteppingRule> && Knows<R, Q> &&
    requires(const R& rule, const StepInput& input, const Q& q, const typename R::State& state,
             Q& next_q, typename R::State& next_state) {
  { R::kRemedy } -> std::convertible_to<std::string_view>;
  { rule.Step(input, q, state, next_q, next_state) } -> std::same_as<absl::Status>;
};

template <class R, class Q>
concept Updates = Fits<R, Q> || Steps<R, Q>;

template <RuleType... Rs>
struct RuleSet {
  using Variant = std::variant<Rs...>;
  using States = std::variant<typename Rs::State...>;

  // The place of R's state among the alternatives, several of which may be of one type.
  template <class R>
  static constexpr std::size_t IndexOf() {
    std::size_t index = 0;
    (void)((std::same_as<R, Rs> || (++index, false)) || ...);
    return index;
  }
};

using Rules = RuleSet<Rvga, Conjugate, Von, Iblr, Vogn, Ogn, Vadam, Ivon, Slang, Lofi, Lrvga, Sgd,
                      Adam, Bbb, NaturalGradientSvi, Laplace, Hilofi>;
using Rule = Rules::Variant;
using RuleState = Rules::States;

// StateOf returns the state of rule R in `state`, which becomes R's, untouched, when it is another
// rule's.
template <class R>
typename R::State& StateOf(RuleState& state) {
  constexpr std::size_t kIndex = Rules::IndexOf<R>();
  if (state.index() != kIndex) state.emplace<kIndex>();
  return std::get<kIndex>(state);
}
// REQUIRES: `state` is R's.
template <class R>
const typename R::State& StateOf(const RuleState& state) {
  return std::get<Rules::IndexOf<R>()>(state);
}

// FreshState is the state before the first minibatch.
inline RuleState FreshState(const Rule& rule) {
  RuleState state;
  std::visit([&]<class R>(const R&) { StateOf<R>(state); }, rule);
  return state;
}

}  // namespace prequel
