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

// The configurations are written out, with every option that version 1 had, as they stand in the
// data directories of that time. Every number has few binary digits, so no build computes others.
inline LearnerConfig ConfigV1(const Word& likelihood, ComponentConfig posterior,
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
  // What is made of it where it was written by version 1 or 2.
  std::function<void(LearnerState&)> upgrade = [](LearnerState&) {};
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

// As it stood in version 1, of the scores that apply.
inline void SetScores(Evaluation& evaluation) {
  const TargetKind kind = evaluation.cumulative.kind();
  const auto set = [&](Tally& tally, double weight, const char* name, double sum) {
    tally.RestoreWeight(weight);
    for (const Score& score : ScoresOf(kind)) {
      if (score.name == "below05" || score.name == "above95") continue;  // since version 10
      std::vector<double> sums(score.num_sums, 0);
      if (score.name == name) sums[0] = sum;
      if (score.name == "ece" && Word(name) == "nll") sums[0] = 1, sums[3] = 2, sums[6] = 3;
      EXPECT_TRUE(tally.Restore(score.name, weight, sums.data(), sums.size()));
    }
  };
  set(evaluation.cumulative, 16, "nll", 20.5);
  set(evaluation.window, 15.75, "rmse", 2);
}

// Up to version 9 they are the units as well.
template <class State>
void SetMoments(RunningMoments moments, State& s) {
  s.moments = std::move(moments);
  s.units.location = s.moments.mean;
  for (Index i = 0; i < s.units.size(); ++i) s.units.scale[i] = s.moments.KnownScale(i);
}

// What every model has.
inline void SetEncodings(LearnerState& s) {
  s.revision = 3;
  s.examples = 24;
  SetMoments({Ramp(2, 24, 0), Ramp(2, -0.5), Ramp(2, 6), Vector::Zero(2), Vector::Zero(2)},
             s.inputs);
  s.inputs.tables = {Table({"red", ""})};
  SetScores(s.evaluation);
  s.evaluation.skipped_rows = 5;
  s.evaluation.unscored_rows = 8;
}

inline Golden Full() {
  Golden g{.name = "full",
           .config = ConfigV1("gaussian", {"full", {}},
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
    SetMoments({Ramp(1, 24), Ramp(1, 0.125), Ramp(1, 3), Vector::Zero(1), Vector::Zero(1)},
               s.targets);
    BeliefOf(s).noise = {Ramp(1, 13.5), Ramp(1, 4.25)};
    auto& q = std::get<FullGaussian>(BeliefOf(s).posterior);
    q.mean = Ramp(q.size(), -1);
    q.covariance = Matrix::Constant(q.size(), q.size(), 0.0625);
    q.covariance.diagonal() = Ramp(q.size(), 0.5);
  };
  g.upgrade = [](LearnerState& s) {  // P̃ = P/σ² with σ² = β/α
    std::get<FullGaussian>(BeliefOf(s).posterior).covariance /= 4.25 / 13.5;
  };
  return g;
}

inline Golden Diagonal() {
  Golden g{.name = "diagonal",
           .config = ConfigV1("poisson", {"diagonal", {}},
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
    // Not known to these versions.
    s.targets.largest.setConstant(std::numeric_limits<double>::infinity());
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
           .config = ConfigV1("bernoulli", {"low_rank", {{"rank", 2.0}}},
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
           .config = ConfigV1("categorical", {"point", {}},
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

inline std::vector<Golden> Goldens() { return {Full(), Diagonal(), LowRank(), Point()}; }

// Since version 4.
inline Golden WithCalibration(Golden g) {
  g.config.calibration = {"online", {}};
  g.learn = [learn = std::move(g.learn)](LearnerState& s) {
    learn(s);
    ReferenceState& references = s.references;
    references.seen = 3;
    references.judged = 2;
    references.last = Ramp(1, 1);
    if (s.calibration.classes.empty()) {
      s.calibration.intervals = FromCentral(Ramp(6, -0.5));  // as they were up to version 9
      references.errors = Ramp(1, 2.5);
      references.mean = Ramp(1, 0.75);
      references.squares = Ramp(1, 3.5);
      return;
    }
    s.calibration.classes.mean = Ramp(4, -0.25);
    s.calibration.classes.covariance.diagonal() = Ramp(4, 0.125, 0.0625);
    PairWeightsState& weights = s.calibration.classes.weights;
    weights.weights = Ramp(12, 0.0625, 0.0625);
    weights.average = Ramp(12, 0.125, 0.0625);
    weights.log_trust.setConstant(-2.484906649788);  // log 12
    weights.rows = 67;
    references.counts = Ramp(2, 1, 1);
    references.kept = 1;
  };
  return g;
}

inline std::vector<Golden> GoldensOfV4() {
  Golden full = WithCalibration(Full()), low_rank = WithCalibration(LowRank());
  full.name = "full_calibrated";
  low_rank.name = "low_rank_calibrated";
  return {full, low_rank};
}

// Since version 5, of what version 4 has.
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
    s.change.inputs = {
        0.9375, true, 2, 1, {.column = 1, .spread = true, .before = 0.5, .after = 4}};
    s.change.weights = {0.125, false, 3, 1, {}};
    s.evaluation.still.cumulative.RestoreWeight(8);
    s.evaluation.still.window.RestoreWeight(7.5);
  };
  return g;
}

inline std::vector<Golden> GoldensOfV5() {
  std::vector<Golden> goldens;
  for (const Golden& golden : GoldensOfV4()) goldens.push_back(WithChange(golden));
  return goldens;
}

// Since version 6.
inline std::vector<Golden> GoldensOfV6() {
  Golden timed = WithChange(WithCalibration(Full()));
  timed.name = "full_timed";
  timed.learn = [learn = std::move(timed.learn)](LearnerState& s) {
    learn(s);
    s.times = {.rows = 3, .latest = 1.75e9, .gap = 0.5};
  };
  return {timed};
}

// Since version 7.
inline std::vector<Golden> GoldensOfV7() {
  Golden mapped = WithChange(WithCalibration(LowRank()));
  mapped.name = "low_rank_mapped";
  mapped.learn = [learn = std::move(mapped.learn)](LearnerState& s) {
    learn(s);
    RecalibrationState& classes = s.calibration.classes;
    classes.map.rows = 67;
    classes.map.location = -0.25;
    classes.map.variance = 0.5;
    classes.map.mean = Ramp(25, -1.5);
    classes.map.covariance = Ramp(25, 0.25, 0.03125).asDiagonal();
    classes.map.weights = classes.weights;
    classes.map.weights.weights = Ramp(12, 0.125, 0.0625);
  };
  Golden counts = WithCalibration(Diagonal());  // whose means it left alone
  counts.name = "diagonal_calibrated";
  return {mapped, counts};
}

// Since version 8.
inline std::vector<Golden> GoldensOfV8() {
  Golden balanced = WithCalibration(Diagonal());
  balanced.name = "diagonal_balanced";
  balanced.learn = [learn = std::move(balanced.learn)](LearnerState& s) {
    learn(s);
    s.calibration.balance = {Ramp(1, 43.5), Ramp(1, 42.25), Ramp(1, 17)};
  };
  return {balanced};
}

// With what version 10 brought: units apart from the moments, values far out, and quantiles served
// each by itself.
inline std::vector<Golden> GoldensOfV10() {
  Golden units = Full();
  units.name = "full_units";
  units.learn = [learn = std::move(units.learn)](LearnerState& s) {
    learn(s);
    s.inputs.units = {Ramp(2, 0.5), Ramp(2, 1.5)};
    s.targets.units = {Ramp(1, 2.5), Ramp(1, 3.5)};
    s.inputs.moments.far = Ramp(2, 1.25);
    s.targets.moments.far = Ramp(1, 2.25);
    s.inputs.moments.rare = Ramp(2, 2.5);
    s.targets.moments.rare = Ramp(1, 0.5);
  };
  Golden sides = WithCalibration(units);
  sides.name = "full_sides";
  sides.learn = [learn = std::move(sides.learn)](LearnerState& s) {
    learn(s);
    s.calibration.intervals.shifts.col(0) = Ramp(13, -0.5);
  };
  return {units, sides};
}

// With what version 9 brought: how many values were of a category that the model had not met.
inline std::vector<Golden> GoldensOfV9() {
  Golden unseen = Diagonal();
  unseen.name = "diagonal_unseen";
  unseen.learn = [learn = std::move(unseen.learn)](LearnerState& s) {
    learn(s);
    s.evaluation.unseen_categories = 5;
  };
  return {unseen};
}

}  // namespace prequel
