// Posterior and rule by cost: what is chosen at the borders, and that names are respected.
#include "core/learner/planning/default_fit.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::default_fit_test {
namespace {

FitShape LinearShape(Index classes, Index inputs) {
  const Index outputs = classes == 2 ? 1 : classes;
  return {{{0, inputs, outputs, true}}, true, classes == 2 ? 1 : classes - 1, true};
}

FitShape NetworkShape(Index classes, Index inputs, Index hidden) {
  const Index outputs = classes == 2 ? 1 : classes;
  return {{{0, inputs, hidden, true}, {hidden * (inputs + 1), hidden, outputs, true}},
          false,
          classes == 2 ? 1 : classes - 1,
          true};
}

// With D = 10, B = 64: n = 64 > D, so nD² + 8D³/3; and 2BCD² for the logits.
TEST(DefaultFit, CountsFlops) {
  EXPECT_DOUBLE_EQ(FullFlops(LinearShape(2, 9)), 128 * 100 + 64 * 100 + 8000.0 / 3);
  EXPECT_DOUBLE_EQ(FullFlops(LinearShape(2, 199)), 128 * 4e4 + 2 * 4096 * 200 + 64 * 4e4);
  EXPECT_DOUBLE_EQ(PerUnitFlops(LinearShape(2, 9)), 128 * 100 + 64 * 100 + 8000.0 / 3);
  EXPECT_DOUBLE_EQ(PerUnitFlops(LinearShape(7, 9)), 7 * PerUnitFlops(LinearShape(2, 9)));
  EXPECT_DOUBLE_EQ(LowRankFlops(NetworkShape(2, 9, 10), 6), 111 * 70 * 70 + 128 * 70 * 111.0);
}

// Of several logits a linear model has the lesser of FullBlock's and LinearBlock's.
TEST(DefaultFit, CountsTheStructureOfLinearModels) {
  const double d = 26 * 17;
  EXPECT_DOUBLE_EQ(FullFlops(LinearShape(26, 16)), 4 * 64 * d * d + 1.5 * d * d * d);
  FitShape dense = LinearShape(26, 16);
  dense.linear = false;
  EXPECT_GT(FullFlops(dense), 4 * FullFlops(LinearShape(26, 16)));
}

FitShape StandingStill(FitShape shape) {
  shape.stands_still = true;
  return shape;
}

void ExpectFit(const FitShape& shape, const char* posterior, const char* rule) {
  const DefaultFit fit = ChooseByCost(shape);
  EXPECT_EQ(fit.posterior, posterior);
  EXPECT_EQ(fit.rule, rule);
}

TEST(DefaultFit, OfLinearModels) {
  ExpectFit(LinearShape(2, 16), "full", "rvga");
  ExpectFit(LinearShape(2, 500), "full", "rvga");
  ExpectFit(LinearShape(10, 16), "full", "rvga");
  ExpectFit(LinearShape(26, 16), "per_unit", "rvga");
  ExpectFit(StandingStill(LinearShape(26, 16)), "full", "rvga");
  ExpectFit(LinearShape(10, 64), "per_unit", "rvga");
  ExpectFit(LinearShape(40, 20), "per_unit", "rvga");
  ExpectFit(LinearShape(64, 64), "per_unit", "rvga");
  ExpectFit(LinearShape(2, 2000), "low_rank", "rvga");
  ExpectFit(LinearShape(10, 784), "diagonal", "rvga");
}

// Two passes where one is dear.
TEST(DefaultFit, LimitsThePassesOfManyClasses) {
  EXPECT_EQ(ChooseByCost(LinearShape(40, 64)).passes, 0);
  EXPECT_EQ(ChooseByCost(LinearShape(64, 64)).passes, 2);
  LearnerConfig config = PlainConfig(64, "categorical");
  config.target.num_classes = 64;
  EXPECT_EQ(std::get<double>(Learner::Create(config)->config().rule.options.at("passes")), 2);
}

// Those that drift average a softmax in every step.
TEST(DefaultFit, AffordsFewBeliefsOfManyClasses) {
  const auto beliefs = [](FitShape shape, bool classes) {
    shape.classes = classes;
    const bool by_units = ChooseByCost(shape).posterior == "per_unit";
    return AffordableBeliefs(shape, PassFlops(shape, NumParams(shape.layers), by_units, 0));
  };
  EXPECT_EQ(beliefs(LinearShape(2, 16), true), 5);
  EXPECT_EQ(beliefs(LinearShape(3, 8), true), 2);
  EXPECT_EQ(beliefs(LinearShape(4, 8), true), 2);
  EXPECT_EQ(beliefs(LinearShape(40, 20), true), 2);
  EXPECT_EQ(beliefs(LinearShape(64, 3), true), 1);
  EXPECT_EQ(beliefs(LinearShape(40, 64), true), 1);
  EXPECT_EQ(beliefs(LinearShape(4, 8), false), 2);
  EXPECT_EQ(beliefs(LinearShape(10, 16), false), 1);
  EXPECT_EQ(beliefs(NetworkShape(2, 2, 8), true), 4);
  EXPECT_EQ(beliefs(NetworkShape(3, 2, 8), true), 2);
  EXPECT_EQ(beliefs(NetworkShape(4, 2, 8), true), 2);
}

TEST(DefaultFit, FollowsClassesUnlessTheyAreVeryMany) {
  LearnerConfig config = PlainConfig(3, "categorical");
  config.dynamics = {};
  for (const int classes : {3, 4, 10, 64}) {
    config.target.num_classes = classes;
    for (const char* model : {"linear", "mlp"}) {
      config.model = {model, {}};
      EXPECT_EQ(
          Learner::Create(config)->config().dynamics.name,
          classes < 10 || (classes < 64 && config.model.name == "linear") ? "adaptive" : "static");
    }
  }
}

TEST(DefaultFit, OfNetworks) {
  ExpectFit(NetworkShape(2, 2, 32), "full", "rvga");
  ExpectFit(NetworkShape(2, 16, 32), "full", "rvga");  // 577 weights
  ExpectFit(NetworkShape(2, 57, 32), "low_rank", "rvga");
  ExpectFit(NetworkShape(2, 245, 32), "low_rank", "lofi");
  ExpectFit(NetworkShape(10, 64, 32), "diagonal", "rvga");
  ExpectFit(NetworkShape(2, 784, 256), "diagonal", "rvga");
}

// What is chosen costs no more than its bound, and what would be better costs more than its own.
TEST(DefaultFit, IsTheBestThatIsAffordable) {
  for (const Index classes : {2, 3, 10, 40}) {
    for (Index inputs = 1; inputs < 4000; inputs += 1 + inputs / 7) {
      for (const FitShape& shape :
           {LinearShape(classes, inputs), NetworkShape(classes, inputs, 32)}) {
        const std::string chosen = ChooseByCost(shape).posterior;
        const bool affordable =
            FullFlops(shape) <= (shape.linear ? kMostFullLinearFlops : kMostFullNetworkFlops);
        const FitShape still = StandingStill(shape);
        EXPECT_EQ(ChooseByCost(still).posterior == "full", affordable);
        EXPECT_TRUE(chosen != "full" || affordable);
        if (chosen == "per_unit") {
          EXPECT_TRUE(shape.linear);
          EXPECT_LE(PerUnitFlops(shape), kMostPerUnitFlops);
        }
        if (chosen == "low_rank") {
          EXPECT_LE(LowRankFlops(shape, 10), kMostLofiFlops);
        }
        if (chosen == "diagonal") {
          EXPECT_GT(LowRankFlops(shape, 10), kMostLofiFlops);
        }
      }
    }
  }
}

LearnerConfig Wide() {
  LearnerConfig config = PlainConfig(57, "bernoulli");
  config.model = {"mlp", {}};
  return config;
}

TEST(DefaultFit, IsFilledIn) {
  const LearnerConfig config = Learner::Create(Wide())->config();
  EXPECT_EQ(config.posterior.name, "low_rank");
  EXPECT_EQ(std::get<double>(config.posterior.options.at("rank")), 30);
  EXPECT_EQ(config.rule.name, "rvga");
  // As it is stored, it comes to the same.
  EXPECT_EQ(Learner::Create(config)->config(), config);
}

// Whoever names one of the two, or sets an option of it, has the other as it always was.
TEST(DefaultFit, LeavesWhatIsNamed) {
  LearnerConfig config = Wide();
  config.posterior.name = "full";
  EXPECT_EQ(Learner::Create(config)->config().rule.name, "rvga");
  EXPECT_EQ(Learner::Create(config)->config().posterior.name, "full");
  config = Wide();
  config.rule.name = "rvga";
  EXPECT_EQ(Learner::Create(config)->config().posterior.name, "full");
  config = Wide();
  config.rule.options["passes"] = 3.0;
  EXPECT_EQ(Learner::Create(config)->config().posterior.name, "full");
  config = Wide();
  config.rule.name = "lofi";
  EXPECT_EQ(std::get<double>(Learner::Create(config)->config().posterior.options.at("rank")), 10);
}

}  // namespace
}  // namespace prequel::default_fit_test
