// Counts in a world that moves: rates and dispersions of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::adaptive_counts_test {
namespace {

using Numbers = std::vector<double>;

LearnerConfig ConfigOf(const ComponentConfig& dynamics,
                       const std::string& likelihood = "negative_binomial") {
  LearnerConfig config = PlainConfig(2, likelihood);
  config.dynamics = dynamics;
  return config;
}

// Rows of mean e^{3 + level + 0.3 x₁} and variance λ + α λ². The level wanders by a factor e^±0.1 a
// row; α is 0.02, or also 0.5 for 250 rows in 500.
struct World {
  bool wanders = false, gusts = false;
};

Batch CountBatch(const World& world, std::int64_t row, std::mt19937_64& random, double& level) {
  constexpr Index kRows = 4;
  std::normal_distribution<double> normal;
  Batch batch;
  batch.inputs.resize(2, kRows);
  batch.targets.resize(1, kRows);
  for (Index i = 0; i < kRows; ++i) {
    if (world.wanders) level = 0.995 * level + 0.1 * normal(random);
    for (double& x : batch.inputs.col(i)) x = normal(random);
    const double dispersion = world.gusts && (row + i) / 250 % 2 == 1 ? 0.5 : 0.02;
    double rate = std::exp(3 + level + 0.3 * batch.inputs(0, i));
    rate *= std::gamma_distribution<double>(1 / dispersion, dispersion)(random);
    batch.targets(0, i) =
        static_cast<double>(std::poisson_distribution<std::int64_t>(rate)(random));
  }
  return batch;
}

Scores Learned(const LearnerConfig& config, const World& world) {
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  std::mt19937_64 random(3);
  double level = 0;
  for (std::int64_t row = 0; row < 1000; row += 4) {
    EXPECT_TRUE(learner.Update(state, CountBatch(world, row, random, level), scratch, next).ok());
    std::swap(state, next);
  }
  return state.evaluation.cumulative.Average();
}

TEST(AdaptiveCounts, FollowALevelThatWanders) {
  for (const std::string likelihood : {"poisson", "negative_binomial"}) {
    const World world{.wanders = true};
    const Scores moving = Learned(ConfigOf({}, likelihood), world);
    const Scores still = Learned(ConfigOf({"static", {}}, likelihood), world);
    EXPECT_LT(moving["nll"], still["nll"] - 0.3) << likelihood;
    EXPECT_LT(moving["crps"], 0.8 * still["crps"]) << likelihood;
    EXPECT_LT(moving["rmse"], still["rmse"]) << likelihood;
  }
}

TEST(AdaptiveCounts, LoseLittleWhereNothingMoves) {
  const double moving = Learned(ConfigOf({}), {})["nll"];
  EXPECT_LT(moving, Learned(ConfigOf({"static", {}}), {})["nll"] + 0.003);
}

// Of one belief, whose weights stand still or nearly.
TEST(AdaptiveCounts, ADispersionThatForgetsFollowsOneThatMoves) {
  for (const double weights : {0.0, 1e-9}) {
    const auto nll = [weights](double rate) {
      return Learned(ConfigOf({"adaptive",
                               {{"rates", Numbers{weights}}, {"dispersion_rates", Numbers{rate}}}}),
                     {.gusts = true})["nll"];
    };
    EXPECT_LT(nll(0.02), nll(0) - 0.03) << weights;
  }
}

TEST(AdaptiveCounts, DispersionRatesAreOfCountsThatLearnIt) {
  const auto options_of = [](const LearnerConfig& config) {
    return Learner::Create(config).value().config().dynamics.options;
  };
  EXPECT_EQ(std::get<Numbers>(options_of(ConfigOf({})).at("dispersion_rates")).size(), 5u);
  EXPECT_EQ(std::get<double>(options_of(ConfigOf({})).at("cap")), 1);
  EXPECT_EQ(options_of(ConfigOf({}, "poisson")).count("dispersion_rates"), 0u);
  EXPECT_EQ(options_of(ConfigOf({}, "gaussian")).count("dispersion_rates"), 0u);
  // A model that named its rates before there were any.
  const ComponentConfig named{"adaptive", {{"rates", Numbers{0, 1e-3}}}};
  EXPECT_EQ(std::get<Numbers>(options_of(ConfigOf(named)).at("dispersion_rates")), Numbers(2, 0.0));

  const auto field = [](const ComponentConfig& dynamics, const char* likelihood) {
    return FieldOf(Learner::Create(ConfigOf(dynamics, likelihood)).status());
  };
  const std::string option = "config.dynamics.options.dispersion_rates";
  const ComponentConfig five{"adaptive", {{"dispersion_rates", Numbers(5, 0.1)}}};
  EXPECT_EQ(field(five, "gaussian"), option);
  EXPECT_EQ(field(five, "poisson"), option);
  LearnerConfig given = ConfigOf(five);
  given.likelihood.options["dispersion"] = 0.5;
  EXPECT_EQ(FieldOf(Learner::Create(given).status()), option);
  EXPECT_EQ(field({"adaptive", {{"dispersion_rates", Numbers(4, 0.1)}}}, "negative_binomial"),
            option);
  EXPECT_EQ(
      field({"adaptive", {{"dispersion_rates", Numbers{0, 0, 0, 0, -1}}}}, "negative_binomial"),
      option + "[4]");
}

}  // namespace
}  // namespace prequel::adaptive_counts_test
