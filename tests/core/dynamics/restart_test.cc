// Runs since restarts, against Bayesian linear regressions that are weighed by hand.
#include "core/dynamics/restart.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/dynamics/known_noise.h"
#include "tests/core/streams.h"

namespace prequel::restart_test {
namespace {

LearnerConfig ConfigOf(ComponentConfig dynamics) {
  LearnerConfig config = KnownNoiseConfig(std::move(dynamics));
  config.prior.options["bias_precision"] = 1.0;
  return config;
}

Batch RowAt(std::uint64_t step) {
  Batch batch = LinearBatch(2, 1, step);
  if (step % 40 >= 20) batch.targets *= -1;  // another world
  return batch;
}

struct Regression {
  double weight = 0;
  Vector m = Vector::Zero(3);
  Matrix p = Matrix::Identity(3, 3);

  double Density(const Vector& x, double y) const {
    const double variance = x.dot(p * x) + kNoise, off = y - x.dot(m);
    return std::exp(-0.5 * off * off / variance) / std::sqrt(2 * std::numbers::pi * variance);
  }
  void Learn(const Vector& x, double y) {
    const Vector gain = p * x / (x.dot(p * x) + kNoise);
    m += gain * (y - x.dot(m));
    p -= gain * (p * x).transpose();
  }
};

TEST(Restart, WeighsTheLikeliestRuns) {
  constexpr double kHazard = 0.02;
  constexpr std::size_t kRuns = 4;
  const Learner learner =
      Learner::Create(ConfigOf({"restart", {{"hazard", kHazard}, {"runs", double{kRuns}}}}))
          .value();
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  std::vector<Regression> runs = {{.weight = 1}};
  const double stays = std::exp(-kHazard);
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Batch row = RowAt(t);
    const absl::StatusOr<Learned> learned = learner.Update(state, row, scratch, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    Vector x(3);
    x << row.inputs.col(0), 1;
    const double y = row.targets(0, 0);
    for (Regression& run : runs) run.weight *= stays * run.Density(x, y);
    runs.push_back({.weight = 1 - stays});
    runs.back().weight *= runs.back().Density(x, y);
    double evidence = 0;
    for (const Regression& run : runs) evidence += run.weight;
    ASSERT_NEAR(learned->scores["nll"], -std::log(evidence), 1e-9) << t;
    const auto heavier = [](const Regression& a, const Regression& b) {
      return a.weight > b.weight;
    };
    std::stable_sort(runs.begin(), runs.end(), heavier);
    runs.resize(std::min(runs.size(), kRuns));
    double kept = 0;
    for (const Regression& run : runs) kept += run.weight;
    for (Regression& run : runs) {
      run.weight /= kept;
      run.Learn(x, y);
    }
  }
  double weights = 0;
  for (const Belief& belief : state.beliefs) weights += std::exp(belief.log_weight);
  EXPECT_EQ(state.beliefs.size(), kRuns);
  EXPECT_NEAR(weights, 1, 1e-12);
}

// The new run learns its first row by the noise of the run that was believed, not by what the run
// knew whose place it takes. A diagonal precision says by which: it grows by x²/σ².
TEST(Restart, ANewRunBeginsWithTheNoiseThatIsBelieved) {
  LearnerConfig config = ConfigOf({"restart", {{"hazard", 0.02}, {"runs", 4.0}}});
  config.likelihood.options.erase("noise");
  config.posterior.name = "diagonal";
  config.rule.name = "rvga";
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial(), next;
  const Vector prior = std::get<DiagonalGaussian>(state.beliefs[0].posterior).precision;
  Scratch scratch;
  int begun = 0;
  for (std::uint64_t t = 0; t < 100; ++t) {
    const Batch row = RowAt(t);
    ASSERT_TRUE(learner.Update(state, row, scratch, next).ok());
    const auto believed = std::max_element(
        state.beliefs.begin(), state.beliefs.end(),
        [](const Belief& a, const Belief& b) { return a.log_weight < b.log_weight; });
    Vector square(3);
    square << row.inputs.col(0).cwiseAbs2(), 1;
    const Vector fresh = prior + square * (believed->noise.shape[0] / believed->noise.rate[0]);
    for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
      const Vector& before = std::get<DiagonalGaussian>(state.beliefs[k].posterior).precision;
      const Vector& after = std::get<DiagonalGaussian>(next.beliefs[k].posterior).precision;
      if ((after - before).minCoeff() >= 0) continue;
      EXPECT_TRUE(after.isApprox(fresh, 1e-12)) << t << ": " << after.transpose();
      ++begun;
    }
    std::swap(state, next);
  }
  EXPECT_GT(begun, 10);
}

TEST(Restart, FollowsAWorldThatBecomesAnother) {
  const auto nll = [](const std::string& dynamics) {
    LearnerConfig config = ConfigOf({dynamics, {}});
    config.likelihood.options.erase("noise");  // learned, and kept by a restart
    const Learner learner = Learner::Create(config).value();
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 100; ++t) {
      Batch batch = LinearBatch(2, 16, t);
      if (t >= 50) batch.targets *= -1;
      EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
    }
    return state.evaluation.cumulative.Average()["nll"];
  };
  EXPECT_LT(nll("restart"), nll("static") - 0.3);
}

// Runs that nobody believes in yet have weight 0; what they say has no mean, like the others.
TEST(Restart, LearnsWhereNothingIsKnownOfTheNoise) {
  LearnerConfig config = ConfigOf({"restart", {}});
  config.likelihood.options = {{"noise_shape", 0.51}};
  const Learner learner = Learner::Create(config).value();
  LearnerState next;
  Scratch scratch;
  const absl::StatusOr<Learned> learned =
      learner.Update(learner.Initial(), LinearBatch(2, 8, 0), scratch, next);
  EXPECT_TRUE(learned.ok()) << learned.status();
}

// Restarts ask nothing of a posterior.
TEST(Restart, IsOfEveryRecursiveModel) {
  for (const auto& [posterior, rule] :
       {std::pair{"diagonal", "rvga"}, {"low_rank", "lofi"}, {"low_rank_hidden", "hilofi"}}) {
    LearnerConfig config = ConfigOf({"restart", {{"runs", 2.0}}});
    config.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
    config.posterior.name = posterior;
    config.rule.name = rule;
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    ASSERT_TRUE(learner.ok()) << learner.status();
    LearnerState next;
    Scratch scratch;
    EXPECT_TRUE(learner->Update(learner->Initial(), LinearBatch(2, 8, 1), scratch, next).ok());
  }
}

TEST(Restart, IsRefusedByField) {
  const auto field = [](const LearnerConfig& config) {
    return FieldOf(Learner::Create(config).status());
  };
  EXPECT_EQ(field(ConfigOf({"restart", {{"hazard", 0.0}}})), "config.dynamics.options.hazard");
  EXPECT_EQ(field(ConfigOf({"restart", {{"hazard", 2.0}}})), "config.dynamics.options.hazard");
  EXPECT_EQ(field(ConfigOf({"restart", {{"runs", 1.0}}})), "config.dynamics.options.runs");
  EXPECT_EQ(field(ConfigOf({"restart", {{"runs", 17.0}}})), "config.dynamics.options.runs");
  LearnerConfig config = ConfigOf({"restart", {}});
  config.posterior.name = "diagonal";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(field(config), "config.dynamics");
  config = ConfigOf({"restart", {{"runs", 16.0}}});
  config.features[0].width = 3000;
  EXPECT_EQ(field(config), "config.dynamics") << "16 runs of 3001 weights are too many to hold";
}

}  // namespace
}  // namespace prequel::restart_test
