#include "core/predictive/believed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "core/predictive/predictive.h"

namespace prequel::believed_test {
namespace {

TEST(BelievedTest, LeavesOutTheLeastOfOnePartInAHundredTogether) {
  Believed believed;
  const std::vector<double> weights = {0.003, 0.9, 0.005, 0.092};
  believed.Assign(weights);
  EXPECT_FALSE(believed.all());
  EXPECT_EQ(believed.Weight(0.003), 0);
  EXPECT_EQ(believed.Weight(0.005), 0);
  EXPECT_DOUBLE_EQ(believed.Weight(0.9) + believed.Weight(0.092), 1);
  EXPECT_DOUBLE_EQ(believed.Weight(0.9) / believed.Weight(0.092), 0.9 / 0.092);
}

TEST(BelievedTest, BeliefsOfOneWeightAreLeftOutTogetherOrNotAtAll) {
  Believed believed;
  believed.Assign(std::vector<double>{0.98, 0.005, 0.005, 0.005, 0.005});
  EXPECT_TRUE(believed.all());
  EXPECT_EQ(believed.Weight(0.005), 0.005);
  believed.Assign(std::vector<double>{0.992, 0.004, 0.004});
  EXPECT_EQ(believed.Weight(0.004), 0);
  EXPECT_DOUBLE_EQ(believed.Weight(0.992), 1);
}

// A predictive of one logit, of one example: a belief that is sure of it, and one that is not.
class BelievedPredictiveTest : public ::testing::Test {
 protected:
  static void Add(double weight, double mean, double variance, Predictive& p) {
    NoiseLevel noise;
    noise.variance = Vector::Ones(1);
    p.AddBelief(weight, noise);
    LogitMoments& member = p.AddMember(1);
    member.mean.setConstant(1, 1, mean);
    member.covariance.setConstant(1, 1, variance);
  }
  void Fill(const Likelihood& likelihood, double weight, Predictive& p) {
    p.Reset(likelihood);
    p.units() = {Vector::Zero(1), Vector::Ones(1)};
    if (weight < 1) Add(weight, 0, 30, p);
    Add(weight < 1 ? 1 - weight : 1, 1, 0.01, p);
  }
};

TEST_F(BelievedPredictiveTest, CountsHaveTheMomentsOfWhatIsBelieved) {
  const Likelihood likelihood = Poisson();
  Predictive mixed, sure;
  Fill(likelihood, 0.005, mixed);
  Fill(likelihood, 1, sure);
  const Distribution &served = mixed.At(0, 0), &alone = sure.At(0, 0);
  EXPECT_DOUBLE_EQ(served.Mean(), alone.Mean());
  EXPECT_DOUBLE_EQ(served.EpistemicVariance(), alone.EpistemicVariance());
  EXPECT_DOUBLE_EQ(served.AleatoricVariance(), alone.AleatoricVariance());
  // The density, the distribution function and the quantiles are of all beliefs.
  EXPECT_GT(served.LogDensity(1000), alone.LogDensity(1000) + 100);
  EXPECT_GT(1 - served.Cdf(1000), 0.0001);
  EXPECT_GT(served.Quantile(0.9999), 10 * alone.Quantile(0.9999));
}

TEST_F(BelievedPredictiveTest, WhatIsBelievedAFewTimesInAHundredIsInTheMoments) {
  const Likelihood likelihood = Poisson();
  Predictive mixed, sure;
  Fill(likelihood, 0.02, mixed);
  Fill(likelihood, 1, sure);
  EXPECT_GT(mixed.At(0, 0).Mean(), 100 * sure.At(0, 0).Mean());
}

TEST_F(BelievedPredictiveTest, EntropyAndLogitsAreEpistemicAsFarAsWhatIsBelievedIs) {
  const Likelihood likelihood = Bernoulli();
  Predictive mixed, sure;
  Fill(likelihood, 0.005, mixed);
  Fill(likelihood, 1, sure);
  const auto entropy = [](const ClassPredictive& p) {
    return -p.probabilities.col(0).dot(p.log_probabilities.col(0));
  };
  const ClassPredictive served = mixed.Classes(true), alone = sure.Classes(true);
  EXPECT_NEAR(served.probabilities(1, 0), 0.995 * alone.probabilities(1, 0) + 0.005 * 0.5, 1e-9);
  EXPECT_NEAR(entropy(served) - served.expected_entropy[0],
              entropy(alone) - alone.expected_entropy[0], 1e-12);
  Vector mean;
  Matrix covariance;
  mixed.Logits(0, mean, covariance);
  EXPECT_DOUBLE_EQ(mean[0], 1);
  EXPECT_DOUBLE_EQ(covariance(0, 0), 0.01);
}

}  // namespace
}  // namespace prequel::believed_test
