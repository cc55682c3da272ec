// Beliefs that differ in the scale of their prior, weighed by what they predict.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::prior_scales_test {
namespace {

using Numbers = std::vector<double>;
using OptionMap = std::map<std::string, OptionValue>;

LearnerConfig NetworkConfig(const std::string& scale, ComponentConfig dynamics) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.model = {"mlp", {{"hidden", Numbers{4}}}};
  if (!scale.empty()) config.prior.options["layer_scale"] = scale;
  config.dynamics = std::move(dynamics);
  return config;
}

ComponentConfig Drifting(Numbers rates, Numbers scales = {}) {
  OptionMap options = {{"rates", std::move(rates)}};
  if (!scales.empty()) options["scales"] = std::move(scales);
  return {"adaptive", std::move(options)};
}

LearnerState Fold(const Learner& learner, LearnerState state, std::uint64_t from, std::uint64_t to,
                  Index rows) {
  LearnerState next;
  Scratch scratch;
  for (std::uint64_t t = from; t < to; ++t) {
    const Batch batch = BatchFor(learner.config().likelihood.name, 3, rows, t);
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

std::string ScaleOf(const LearnerConfig& config) {
  return std::get<std::string>(Learner::Create(config)->config().prior.options.at("layer_scale"));
}

// Of a linear model with known noise, log p(y | X) = log N(y; 0, X V Xᵀ + σ² I): what its rows say
// of a prior, one after the other, is what they say together.
TEST(PriorScales, AreWeighedByTheirMarginalLikelihoods) {
  constexpr double kNoise = 0.25;
  constexpr Index kInputs = 3, kRows = 7;
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.model.options["bias"] = false;
  config.likelihood.options["noise"] = kNoise;
  config.prior.options["layer_scale"] = std::string("both");
  const Learner learner = *Learner::Create(config);
  const LearnerState state = Fold(learner, learner.Initial(), 0, kRows, 1);

  Matrix x(kInputs, kRows);
  Vector y(kRows);
  for (Index t = 0; t < kRows; ++t) {
    const Batch row = LinearBatch(kInputs, 1, static_cast<std::uint64_t>(t));
    x.col(t) = row.inputs.col(0);
    y[t] = row.targets(0, 0);
  }
  const auto evidence = [&](double variance) {
    const Matrix covariance =
        variance * x.transpose() * x + kNoise * Matrix::Identity(kRows, kRows);
    const Eigen::LLT<Matrix> factor(covariance);
    const double log_det = 2 * Matrix(factor.matrixL()).diagonal().array().log().sum();
    return -0.5 * (y.dot(factor.solve(y)) + log_det +
                   static_cast<double>(kRows) * std::log(2 * std::numbers::pi));
  };
  const double fan_in = evidence(1.0 / kInputs), none = evidence(1);
  ASSERT_EQ(state.beliefs.size(), 2u);
  EXPECT_NEAR(state.beliefs[0].log_weight - state.beliefs[1].log_weight, fan_in - none, 1e-9);
  const double nll = state.evaluation.cumulative.Average()["nll"];
  EXPECT_NEAR(-nll * static_cast<double>(kRows),
              std::log(0.5 * std::exp(fan_in) + 0.5 * std::exp(none)), 1e-9);
}

// And drifts by it: as does a model that has this scale alone.
TEST(PriorScales, EachBeliefLearnsAsWithItsPriorAlone) {
  for (const std::string posterior : {"full", "diagonal", "low_rank"}) {
    const auto learned = [&](const std::string& scale, ComponentConfig dynamics) {
      LearnerConfig config = NetworkConfig(scale, std::move(dynamics));
      config.posterior.name = posterior;
      const Learner learner = *Learner::Create(config);
      return Fold(learner, learner.Initial(), 0, 4, 5);
    };
    const LearnerState both = learned("both", Drifting({0, 0, 0.1, 0.1}, {0, 1, 1, 0}));
    const LearnerState fan_in = learned("fan_in", Drifting({0, 0.1}));
    const LearnerState none = learned("none", Drifting({0, 0.1}));
    const auto same = [](const Belief& a, const Belief& b) {
      return std::visit([](const auto& q, const auto& p) { return q.mean == p.mean; }, a.posterior,
                        b.posterior);
    };
    EXPECT_TRUE(same(both.beliefs[0], fan_in.beliefs[0])) << posterior;
    EXPECT_TRUE(same(both.beliefs[1], none.beliefs[0])) << posterior;
    EXPECT_TRUE(same(both.beliefs[2], none.beliefs[1])) << posterior;
    EXPECT_TRUE(same(both.beliefs[3], fan_in.beliefs[1])) << posterior;
    EXPECT_FALSE(same(both.beliefs[0], both.beliefs[1])) << posterior;
  }
}

// A rule whose steps take the configured prior, and has no other anchor.
TEST(PriorScales, StepsAreAnchoredToTheBeliefsOwnPrior) {
  const auto learned = [&](const std::string& scale) {
    LearnerConfig config = NetworkConfig(scale, {"static", {}});
    config.rule.name = "von";
    config.posterior.name = "diagonal";
    const Learner learner = *Learner::Create(config);
    return Fold(learner, learner.Initial(), 0, 3, 5);
  };
  const LearnerState both = learned("both");
  const auto mean = [](const Belief& belief) {
    return std::get<DiagonalGaussian>(belief.posterior).mean;
  };
  ASSERT_EQ(both.beliefs.size(), 2u);
  EXPECT_EQ(mean(both.beliefs[0]), mean(learned("fan_in").beliefs[0]));
  EXPECT_EQ(mean(both.beliefs[1]), mean(learned("none").beliefs[0]));
}

TEST(PriorScales, SurviveARestart) {
  for (const ComponentConfig& dynamics :
       {ComponentConfig{}, ComponentConfig{"static", {}}, ComponentConfig{"inflation", {}}}) {
    const Learner learner = *Learner::Create(NetworkConfig("both", dynamics));
    LearnerState state = Fold(learner, learner.Initial(), 0, 4, 5);
    const std::string bytes = learner.EncodeState(state);
    const absl::StatusOr<LearnerState> read = learner.DecodeState(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(learner.EncodeState(*read), bytes);
    EXPECT_EQ(learner.EncodeState(Fold(learner, *read, 4, 6, 5)),
              learner.EncodeState(Fold(learner, state, 4, 6, 5)));
    state.beliefs.pop_back();
    EXPECT_EQ(learner.DecodeState(learner.EncodeState(state)).status().code(),
              absl::StatusCode::kDataLoss);
  }
}

// What begins anew begins as the belief of all rows did.
TEST(PriorScales, ARestartHasTheFirstBeliefsPrior) {
  ComponentConfig dynamics = Drifting({0, 0}, {1, 0});
  dynamics.options["hazard"] = 0.01;
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.prior.options["layer_scale"] = std::string("both");
  config.dynamics = dynamics;
  const LearnerState state = Learner::Create(config)->Initial();
  ASSERT_EQ(state.beliefs.size(), 3u);
  const auto variance = [&](std::size_t k) {
    return std::get<FullGaussian>(state.beliefs[k].posterior).covariance(0, 0);
  };
  EXPECT_EQ(variance(0), 1);
  EXPECT_EQ(variance(1), 1.0 / 3);
  EXPECT_EQ(variance(2), 1);
}

// Of a linear model with all its beliefs the one that stands still is there twice.
TEST(PriorScales, OfALinearModelAreOneBeliefMore) {
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.dynamics = {};
  config.prior.options["layer_scale"] = std::string("both");
  const Learner learner = *Learner::Create(config);
  EXPECT_EQ(std::get<Numbers>(learner.config().dynamics.options.at("scales")),
            (Numbers{0, 1, 0, 0, 0, 0}));
  const LearnerState state = Fold(learner, learner.Initial(), 0, 3, 4);
  EXPECT_EQ(state.beliefs.size(), 7u);
  EXPECT_EQ(state.beliefs[1].tracks.size(), 2u);
}

// By cost, unless it is said; where nothing is weighed by dynamics one scale is all.
TEST(PriorScales, AreTheDefaultOfNetworks) {
  LearnerConfig config = NetworkConfig("", {});
  const auto expect = [&](const Numbers& rates, const Numbers& scales) {
    const Learner learner = *Learner::Create(config);
    const ComponentConfig& dynamics = learner.config().dynamics;
    EXPECT_EQ(ScaleOf(config), "both");
    EXPECT_EQ(std::get<Numbers>(dynamics.options.at("rates")), rates);
    EXPECT_EQ(std::get<Numbers>(dynamics.options.at("intercept_rates")), rates);
    EXPECT_EQ(std::get<Numbers>(dynamics.options.at("scales")), scales);
    EXPECT_EQ(learner.Initial().beliefs.size(), rates.size());
    EXPECT_EQ(Learner::Create(learner.config())->config(), learner.config());
  };
  expect({0, 0, 1e-3, 1e-3}, {0, 1, 0, 1});
  config.model.options["hidden"] = Numbers{60};
  expect({0, 0, 1e-3}, {0, 1, 0});

  EXPECT_EQ(ScaleOf(NetworkConfig("", {"static", {}})), "fan_in");
  EXPECT_EQ(ScaleOf(NetworkConfig("", {"inflation", {}})), "fan_in");
  EXPECT_EQ(ScaleOf(NetworkConfig("", Drifting({0, 1e-3}))), "fan_in");
  EXPECT_EQ(ScaleOf(NetworkConfig("none", {})), "none");
  config.model.options["hidden"] = Numbers{600};
  EXPECT_EQ(ScaleOf(config), "fan_in") << "too large for a third belief";
  config = NetworkConfig("", {});
  config.likelihood.name = "poisson";
  EXPECT_EQ(ScaleOf(config), "fan_in");
  config = NetworkConfig("", {});
  config.model = {};
  EXPECT_EQ(ScaleOf(config), "none");
}

TEST(PriorScales, OptionsThatMakeNoSenseAreNamed) {
  const auto field = [](const LearnerConfig& config) {
    return FieldOf(Learner::Create(config).status());
  };
  const std::string scales = "config.dynamics.options.scales";
  EXPECT_EQ(field(NetworkConfig("neither", {})), "config.prior.options.layer_scale");
  EXPECT_EQ(field(NetworkConfig("fan_in", Drifting({0, 1}, {0, 1}))), scales) << "one prior";
  EXPECT_EQ(field(NetworkConfig("both", Drifting({0, 1}))), scales) << "not said";
  EXPECT_EQ(field(NetworkConfig("both", Drifting({0, 1}, {0}))), scales) << "too few";
  EXPECT_EQ(field(NetworkConfig("both", Drifting({0, 1}, {0, 2}))), scales);
  EXPECT_EQ(field(NetworkConfig("both", Drifting({0, 1}, {0, 0.5}))), scales);
  LearnerConfig dataset = NetworkConfig("both", {});
  dataset.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(field(dataset), "config.prior.options.layer_scale");
}

}  // namespace
}  // namespace prequel::prior_scales_test
