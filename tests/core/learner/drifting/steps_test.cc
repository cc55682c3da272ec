// Beliefs that drift before a minibatch, or in steps within it.
#include "core/learner/drifting/steps.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/dynamics/drift.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/same_posterior.h"
#include "tests/core/streams.h"

namespace prequel::steps_test {
namespace {

constexpr Index kInputs = 2, kHidden = 4;

LearnerConfig NetworkConfig(const std::string& dynamics, double tolerance) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.model = {"mlp", {{"hidden", std::vector<double>{kHidden}}}};
  config.likelihood.options["noise"] = 0.25;
  config.posterior.name = "full";
  config.rule = {"rvga", {{"tolerance", tolerance}}};
  config.dynamics.name = dynamics;
  return config;
}

TEST(Steps, AreAFewAndOfNetworksLongOnes) {
  EXPECT_EQ(NumSteps(true, 3, 1), 1);
  EXPECT_EQ(NumSteps(true, 3, 5), 5);
  EXPECT_EQ(NumSteps(true, 3, 1000), 8);
  EXPECT_EQ(NumSteps(true, 4, 1), 1);
  EXPECT_EQ(NumSteps(true, 4, 1000), 2);
  // Values are coupled by no softmax, however many there are.
  LearnerConfig values = PlainConfig(2, "gaussian");
  values.target.width = 6;
  EXPECT_EQ(NumSteps(*Problem::Make(values), 1000), 8);
  EXPECT_EQ(NumSteps(false, 1, 1), 1);
  EXPECT_EQ(NumSteps(false, 1, 127), 1);
  EXPECT_EQ(NumSteps(false, 1, 128), 2);
  EXPECT_EQ(NumSteps(false, 1, 10'000), 4);
}

// Which is a minibatch of a world that stands still, from the belief that has drifted; and its
// passes end at ten times the tolerance.
TEST(Steps, ANetworkDriftsOnceBeforeAMinibatch) {
  constexpr double kRate = 0.01;
  constexpr Index kRows = 64;
  LearnerConfig config = NetworkConfig("inflation", 1e-3);
  config.dynamics.options["rate"] = kRate;
  const Learner drifting = Learner::Create(config).value();
  const Learner still = Learner::Create(NetworkConfig("static", 1e-2)).value();
  const Layers layers = {{.offset = 0, .inputs = kInputs, .outputs = kHidden},
                         {.offset = kHidden * (kInputs + 1), .inputs = kHidden, .outputs = 1}};
  LearnerState state = drifting.Initial(), next, expected;
  Scratch scratch;
  const Vector prior = std::get<FullGaussian>(BeliefOf(state).posterior).covariance.diagonal();
  const Vector mean = Vector::Zero(prior.size());
  for (std::uint64_t t = 0; t < 20; ++t) {
    const Batch batch = LinearBatch(kInputs, kRows, t);
    LearnerState drifted = state;
    DynamicsScratch dynamics;
    Drift{.rate = kRate, .intercept_rate = kRate, .hidden_rate = kRate}.Move(
        {.rows = kRows, .prior_variances = prior, .prior_mean = mean, .layers = layers},
        std::get<FullGaussian>(BeliefOf(drifted).posterior), dynamics);
    ASSERT_TRUE(still.Update(drifted, batch, scratch, expected).ok());
    ASSERT_TRUE(drifting.Update(state, batch, scratch, next).ok());
    ExpectSamePosterior(next, expected);
    EXPECT_NEAR(next.evaluation.cumulative.Average()["nll"],
                expected.evaluation.cumulative.Average()["nll"], 1e-10);
    std::swap(state, next);
  }
}

// Which are minibatches of their own.
TEST(Steps, ANetworkMeetsManyRowsInSteps) {
  LearnerConfig config = NetworkConfig("inflation", 1e-3);
  config.dynamics.options["rate"] = 0.05;
  const Learner learner = Learner::Create(config).value();
  const Batch rows = LinearBatch(kInputs, 256, 3);
  LearnerState state = learner.Initial(), next, at_once;
  Scratch scratch;
  ASSERT_TRUE(learner.Update(state, rows, scratch, at_once).ok());
  for (Index first = 0; first < 256; first += 64) {
    ASSERT_TRUE(learner.Update(state, RowsOf(rows, first, 64), scratch, next).ok());
    std::swap(state, next);
  }
  ExpectSamePosterior(at_once, state);
}

}  // namespace
}  // namespace prequel::steps_test
