// What a rule says of itself unless it says otherwise.
#pragma once

#include "absl/status/status.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/rules/matched_predictive.h"
#include "core/rules/mode.h"
#include "core/rules/rule_state.h"
#include "core/rules/step_report.h"

namespace prequel {

// What a rule may know of the model and the likelihood that it learns: never which they are.
struct Setting {
  bool linear = false;  // the logits are linear in the weights
  Link link = Link::kIdentity;
  bool learns_noise = false;

  // is_linear_gaussian: whether N(m, σ² P̃) with σ² ~ IG(α, β) is the exact posterior:
  // normal-inverse-gamma.
  bool is_linear_gaussian() const { return linear && link == Link::kIdentity; }
};

struct RuleDefaults {
  Mode mode;  // recursive

  // CheckFor: whether the rule can update this posterior in this setting. INVALID_ARGUMENT names
  // the option.
  template <class Q>
  static absl::Status CheckFor(const Setting& /*setting*/, const Q& /*prototype*/) {
    return absl::OkStatus();
  }
  // draws and rounds are of a rule that fits: whether expectations are over draws of θ, and how
  // many linearisations at once it holds of every example.
  static bool draws() { return false; }
  static Index rounds() { return 1; }

  // InNoiseUnits: whether this posterior's covariance is held in units of the learned noise
  // variance.
  template <class Q>
  static bool InNoiseUnits(const Setting& /*setting*/, const Q& /*prototype*/) {
    return false;
  }

  // OfDrifting is the rule as it learns a network's belief that drifts.
  template <class R>
  static R OfDrifting(const R& rule) {
    return rule;
  }

  // HasCurvature: whether q says how sure it is in this state: else it is not measured against the
  // last one.
  template <class State>
  static bool HasCurvature(const State& /*state*/) {
    return true;
  }
  // Describe reports what there is to say of the state after a step.
  template <class State>
  static void Describe(const State& /*state*/, StepReport& /*report*/) {}
};

// A rule that works on the posterior's local fit.
struct FittingRule : RuleDefaults {
  using State = NoState;

  static MatchedPredictive PredictiveOf(const NoState& /*state*/) { return {}; }
};

// A rule that writes the next posterior in one call.
struct SteppingRule : RuleDefaults {
  MatchedPredictive predictive;

  template <class State>
  MatchedPredictive PredictiveOf(const State& /*state*/) const {
    return predictive;
  }
};

}  // namespace prequel
