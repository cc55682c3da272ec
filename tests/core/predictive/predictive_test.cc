#include "core/predictive/predictive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::predictive_test {
namespace {

class MixedClassesTest : public ::testing::TestWithParam<std::string> {
 protected:
  // Nats that a learner by Monte Carlo pays for class 0 at `distance` from what it has seen, on
  // the side of another class.
  static double Surprise(const std::string& likelihood, double distance) {
    LearnerConfig config = PlainConfig(1, likelihood);
    config.rule = {"rvga", {{"expectation", "monte_carlo"}}};
    if (likelihood == "categorical") config.target.num_classes = 2;
    const Learner learner = Learner::Create(config).value();
    Scratch scratch;
    LearnerState seen, next;
    Batch batch;
    batch.inputs.resize(1, 40);
    batch.targets.resize(1, 40);
    for (Index i = 0; i < 40; ++i) {
      batch.inputs(0, i) = i % 2 == 0 ? -3 : 3;
      batch.targets(0, i) = i % 2 == 0 ? 0 : 1;
    }
    EXPECT_TRUE(learner.Update(learner.Initial(), batch, scratch, seen).ok());
    Batch far;
    far.inputs = Matrix::Constant(1, 1, distance);
    far.targets = Matrix::Zero(1, 1);
    const absl::StatusOr<Learned> learned = learner.Update(seen, far, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    return learned.ok() ? learned->scores["nll"] : 0;
  }
};

// A probability of e^{−1000} is none that a double can hold: its logarithm must not come from it.
// Every member's logit grows with the distance, and with it the surprise.
TEST_P(MixedClassesTest, SurpriseGrowsBeyondTheSmallestDouble) {
  const double once = Surprise(GetParam(), 1e4), twice = Surprise(GetParam(), 2e4);
  EXPECT_GT(once, 1000);
  EXPECT_NEAR(twice / once, 2, 0.01);
}

INSTANTIATE_TEST_SUITE_P(All, MixedClassesTest, ::testing::Values("bernoulli", "categorical"));

}  // namespace
}  // namespace prequel::predictive_test
