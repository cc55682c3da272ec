// States that golden files hold, and the configurations of the models that had come to them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"

namespace prequel {

using Word = std::string;

// The configurations are written out, as they stand in data directories. Every number has few
// binary digits, so no build computes others.
inline LearnerConfig Written(const Word& likelihood, ComponentConfig posterior,
                             ComponentConfig rule) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2},
                     {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 2}};
  config.target = {.name = "y"};
  config.calibration = {"none", {}};
  config.model = {"linear", {{"bias", true}}};
  config.likelihood = {likelihood, {}};
  config.prior = {"isotropic",
                  {{"bias_precision", 1.0}, {"layer_scale", Word("none")}, {"precision", 1.0}}};
  config.posterior = std::move(posterior);
  config.rule = std::move(rule);
  config.dynamics.name = "static";
  config.standardize_inputs = Standardize::kRunning;
  config.standardize_targets = Standardize::kNone;
  config.seed = 7;
  return config;
}

struct Golden {
  const char* name;
  LearnerConfig config;
  std::function<void(LearnerState&)> learn;  // what it has come to, from the initial state
};

// 1, 1.25, 1.5, … and alike.
inline Vector Ramp(Index size, double first, double step = 0.25) {
  Vector v(size);
  for (Index i = 0; i < size; ++i) v[i] = first + step * static_cast<double>(i);
  return v;
}

inline SharedTable Table(const std::vector<std::string>& values) {
  return std::make_shared<const CategoryTable>(*CategoryTable::FromValues(values));
}

// Of the scores that apply.
inline void SetScores(Evaluation& evaluation) {
  const TargetKind kind = evaluation.cumulative.kind();
  const auto set = [&](Tally& tally, double weight, const char* name, double sum) {
    tally.RestoreWeight(weight);
    for (const Score& score : ScoresOf(kind)) {
      std::vector<double> sums(score.num_sums, 0);
      if (score.name == name) sums[0] = sum;
      if (score.name == "ece" && Word(name) == "nll") sums[0] = 1, sums[3] = 2, sums[6] = 3;
      EXPECT_TRUE(tally.Restore(score.name, weight, sums.data(), sums.size()));
    }
  };
  set(evaluation.cumulative, 16, "nll", 20.5);
  set(evaluation.window, 15.75, "rmse", 2);
}

// What every model has.
inline void SetEncodings(LearnerState& s) {
  s.revision = 3;
  s.examples = 24;
  s.inputs.moments = {Ramp(2, 24, 0), Ramp(2, -0.5), Ramp(2, 6), Ramp(2, 1.25), Ramp(2, 2.5)};
  s.inputs.units = {Ramp(2, 0.5), Ramp(2, 1.5)};
  s.inputs.tables = {Table({"red", ""})};
  SetScores(s.evaluation);
  s.evaluation.skipped_rows = 5;
  s.evaluation.unscored_rows = 8;
  s.evaluation.unseen_categories = 5;
}

inline Golden Full() {
  Golden g{.name = "full",
           .config = Written("gaussian", {"full", {}},
                             {"rvga",
                              {{"expectation", Word("linearized")},
                               {"mode", Word("recursive")},
                               {"passes", 10.0},
                               {"samples", 10.0},
                               {"scheme", Word("implicit")},
                               {"tolerance", 0.0009765625}}})};
  g.config.likelihood.options = {
      {"noise", Word("learned")}, {"noise_rate", 0.125}, {"noise_shape", 1.5}};
  g.config.standardize_targets = Standardize::kRunning;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.moments = {Ramp(1, 24), Ramp(1, 0.125), Ramp(1, 3), Ramp(1, 2.25), Ramp(1, 0.5)};
    s.targets.units = {Ramp(1, 2.5), Ramp(1, 3.5)};
    BeliefOf(s).noise = {Ramp(1, 13.5), Ramp(1, 4.25)};
    auto& q = std::get<FullGaussian>(BeliefOf(s).posterior);
    q.mean = Ramp(q.size(), -1);
    q.covariance = Matrix::Constant(q.size(), q.size(), 0.0625);
    q.covariance.diagonal() = Ramp(q.size(), 0.5);
  };
  return g;
}

inline Golden Diagonal() {
  Golden g{.name = "diagonal",
           .config = Written("poisson", {"diagonal", {}},
                             {"ivon",
                              {{"alpha", 0.125},
                               {"beta1", 0.875},
                               {"beta2", 0.75},
                               {"clip_radius", Word("none")},
                               {"dataset_size", 64.0},
                               {"effective_size", Word("dataset_size")},
                               {"initial_curvature", 0.125},
                               {"mode", Word("dataset")},
                               {"predictive", Word("linearized")},
                               {"samples", 1.0}}})};
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.largest.setConstant(7);
    auto& q = std::get<DiagonalGaussian>(BeliefOf(s).posterior);
    q.mean = Ramp(q.size(), -1);
    q.precision = Ramp(q.size(), 8);
    auto& rule = StateOf<Ivon>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Ramp(q.size(), 0.5);
  };
  return g;
}

inline Golden LowRank() {
  Golden g{.name = "low_rank",
           .config = Written("bernoulli", {"low_rank", {{"rank", 2.0}}},
                             {"slang",
                              {{"alpha", 0.125},
                               {"beta", 0.125},
                               {"beta1", 0.875},
                               {"curvature", Word("fisher")},
                               {"dataset_size", 64.0},
                               {"initial_curvature", 0.125},
                               {"mode", Word("dataset")},
                               {"predictive", Word("linearized")},
                               {"samples", 1.0},
                               {"schedule", Word("decay")}}})};
  g.config.target.num_classes = 2;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.labels = Table({"no", "yes"});
    auto& q = std::get<LowRankGaussian>(BeliefOf(s).posterior);
    q.mean = Ramp(q.size(), -1);
    q.diagonal = Ramp(q.size(), 8);
    q.factor.resize(q.size(), 2);
    q.factor.col(0) = Ramp(q.size(), 1);
    q.factor.col(1) = Ramp(q.size(), 2, -0.5);
    auto& rule = StateOf<Slang>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Ramp(q.size(), 0.5);
  };
  return g;
}

inline Golden Point() {
  Golden g{.name = "point",
           .config = Written("categorical", {"point", {}},
                             {"adam",
                              {{"alpha", 0.125},
                               {"beta1", 0.875},
                               {"beta2", 0.75},
                               {"dataset_size", 64.0},
                               {"epsilon", 0.0009765625},
                               {"mode", Word("dataset")}}})};
  g.config.target.num_classes = 3;
  g.learn = [](LearnerState& s) {
    SetEncodings(s);
    s.targets.integers = true;
    auto& q = std::get<PointMass>(BeliefOf(s).posterior);
    q.mean = Ramp(q.size(), -1);
    auto& rule = StateOf<Adam>(BeliefOf(s).rule);
    rule.steps = 3;
    rule.momentum = Ramp(q.size(), 0.5);
    rule.squares = Ramp(q.size(), 0);
  };
  return g;
}

inline Golden WithCalibration(Golden g) {
  g.config.calibration = {"online", {}};
  g.learn = [learn = std::move(g.learn)](LearnerState& s) {
    learn(s);
    ReferenceState& references = s.references;
    references.seen = 3;
    references.judged = 2;
    references.last = Ramp(1, 1);
    RecalibrationState& classes = s.calibration.classes;
    if (classes.empty()) {
      s.calibration.intervals.shifts.col(0) = Ramp(13, -0.5);
      if (!s.calibration.balance.empty()) {
        s.calibration.balance = {Ramp(1, 43.5), Ramp(1, 42.25), Ramp(1, 17)};
      }
      references.errors = Ramp(1, 2.5);
      references.mean = Ramp(1, 0.75);
      references.squares = Ramp(1, 3.5);
      return;
    }
    classes.mean = Ramp(4, -0.25);
    classes.covariance.diagonal() = Ramp(4, 0.125, 0.0625);
    PairWeightsState& weights = classes.weights;
    weights.weights = Ramp(12, 0.0625, 0.0625);
    weights.average = Ramp(12, 0.125, 0.0625);
    weights.log_trust.setConstant(-2.484906649788);  // log 12
    weights.rows = 67;
    references.counts = Ramp(2, 1, 1);
    references.kept = 1;
    if (classes.map.empty()) return;
    classes.map.rows = 67;
    classes.map.location = -0.25;
    classes.map.variance = 0.5;
    classes.map.mean = Ramp(25, -1.5);
    classes.map.covariance = Ramp(25, 0.25, 0.03125).asDiagonal();
    classes.map.weights = weights;
    classes.map.weights.weights = Ramp(12, 0.125, 0.0625);
  };
  return g;
}

inline Golden WithChange(Golden g) {
  g.learn = [learn = std::move(g.learn)](LearnerState& s) {
    learn(s);
    BlockWatchState& watch = s.change.watch;
    watch.seen = 24;
    watch.rows = 12;
    watch.blocks = 2;
    watch.sums.array() += 0.5;
    watch.squares.array() += 0.25;
    watch.mean = Ramp(watch.mean.size(), -1);
    watch.variance = Ramp(watch.variance.size(), 0.5);
    watch.whole.array() += 1.5;
    watch.spread.array() += 12;
    watch.just_raised = true;
    s.change.inputs = {
        0.9375, true, 2, 1, {.column = 1, .spread = true, .before = 0.5, .after = 4}};
    s.change.weights = {0.125, false, 3, 1, {}};
    s.evaluation.still.cumulative.RestoreWeight(8);
    s.evaluation.still.window.RestoreWeight(7.5);
    s.times = {.rows = 3, .latest = 1.75e9, .gap = 0.5};
  };
  return g;
}

// One with everything that is learned of values, of counts and of classes, and a rule that keeps a
// point.
inline std::vector<Golden> Goldens() {
  return {WithChange(WithCalibration(Full())), WithChange(WithCalibration(Diagonal())),
          WithChange(WithCalibration(LowRank())), Point()};
}

}  // namespace prequel
