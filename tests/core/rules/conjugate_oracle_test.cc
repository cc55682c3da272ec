// On linear-gaussian problems implicit = explicit = iterated Kalman = batch conjugate, however the
// data are split into minibatches; with unknown noise, normal-inverse-gamma.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::conjugate_oracle_test {
namespace {

constexpr Index kInputs = 6;
constexpr Index kRows = 60;
constexpr double kNoise = 0.25;

LearnerState FoldSplits(const LearnerConfig& config, const Batch& all,
                        const std::vector<Index>& splits) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  Index first = 0;
  for (const Index count : splits) {
    const absl::StatusOr<Learned> learned =
        learner.Update(state, RowsOf(all, first, count), scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    first += count;
  }
  EXPECT_EQ(first, kRows);
  return state;
}

Matrix Design(const Batch& all) {  // B × D: inputs, then the bias
  Matrix x(all.inputs.cols(), kInputs + 1);
  x.leftCols(kInputs) = all.inputs.transpose();
  x.col(kInputs).setOnes();
  return x;
}

Matrix Lower(const Matrix& m) { return m.triangularView<Eigen::Lower>(); }

class ConjugateOracle : public testing::TestWithParam<std::vector<Index>> {};

TEST_P(ConjugateOracle, KnownNoiseMatchesTheBatchPosterior) {
  const Batch all = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(all);
  const Matrix precision =
      Matrix::Identity(kInputs + 1, kInputs + 1) * 2.0 + x.transpose() * x / kNoise;
  const Matrix covariance = precision.llt().solve(Matrix::Identity(kInputs + 1, kInputs + 1));
  const Vector mean = covariance * (x.transpose() * all.targets.transpose() / kNoise);

  const std::vector<ComponentConfig> rules = {
      {"conjugate", {}},
      {"rvga", {{"scheme", "explicit"}}},
      {"rvga", {{"scheme", "implicit"}, {"passes", 20.0}, {"tolerance", 1e-13}}},
      {"rvga", {{"scheme", "explicit"}, {"expectation", "mean"}}},
      {"rvga", {{"expectation", "mean"}, {"passes", 20.0}, {"tolerance", 1e-13}}}};
  for (const ComponentConfig& rule : rules) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.likelihood.options["noise"] = kNoise;
    config.prior.options["precision"] = 2.0;
    config.rule = rule;
    const LearnerState state = FoldSplits(config, all, GetParam());
    const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
    EXPECT_LT((q.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((Lower(q.covariance) - Lower(covariance)).cwiseAbs().maxCoeff(), 1e-9);
  }
}

TEST_P(ConjugateOracle, UnknownNoiseMatchesNormalInverseGamma) {
  const Batch all = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(all);
  const Vector y = all.targets.transpose();
  const Matrix prior_covariance = Matrix::Identity(kInputs + 1, kInputs + 1) / 2.0;
  const Matrix marginal = Matrix::Identity(kRows, kRows) + x * prior_covariance * x.transpose();
  const double shape = 2.5 + 0.5 * static_cast<double>(kRows);
  const double rate = 0.75 + 0.5 * y.dot(marginal.llt().solve(y));
  const Matrix precision = Matrix::Identity(kInputs + 1, kInputs + 1) * 2.0 + x.transpose() * x;
  const Vector mean = precision.llt().solve(x.transpose() * y);

  const Matrix covariance = precision.llt().solve(Matrix::Identity(kInputs + 1, kInputs + 1));
  const std::vector<ComponentConfig> rules = {
      {"conjugate", {}},
      {"rvga", {}},
      {"rvga", {{"scheme", "explicit"}}},
      {"rvga", {{"expectation", "mean"}, {"passes", 20.0}, {"tolerance", 1e-13}}}};
  for (const ComponentConfig& rule : rules) {
    SCOPED_TRACE(rule.name);
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.likelihood.options["noise"] = std::string("learned");
    config.likelihood.options["noise_shape"] = 2.5;
    config.likelihood.options["noise_rate"] = 0.75;
    config.prior.options["precision"] = 2.0;
    config.rule = rule;
    const LearnerState state = FoldSplits(config, all, GetParam());
    const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
    EXPECT_LT((q.mean - mean).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT((Lower(q.covariance) - Lower(covariance)).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(BeliefOf(state).noise.shape[0], shape, 1e-9);
    EXPECT_NEAR(BeliefOf(state).noise.rate[0], rate, 1e-9);

    // The predictive is Student-t: scale² = (β/α)(1 + xᵀ P̃ x), 2α degrees of freedom; its variance
    // is β/(α − 1) of the noise, and as much times xᵀ P̃ x of the weights.
    const Learner learner = *Learner::Create(config);
    Batch query;
    query.inputs = Normals(kInputs, 3, 99);
    Scratch scratch;
    const std::vector<double> levels = {0.25, 0.5, 0.75};
    const absl::StatusOr<Answer> predicted =
        Ask(learner, state, query, scratch,
            {.queries = {{"moments", {}}, {"quantiles", {{"levels", levels}}}}});
    ASSERT_TRUE(predicted.ok()) << predicted.status();
    for (Index i = 0; i < 3; ++i) {
      Vector row(kInputs + 1);
      row << query.inputs.col(i), 1;
      const double noise = rate / (shape - 1);
      const Answer& p = *predicted;
      EXPECT_NEAR(p["mean"](0, i), row.dot(mean), 1e-9);
      EXPECT_NEAR(p["epistemic_variance"](0, i), noise * row.dot(covariance * row), 1e-9);
      EXPECT_NEAR(p["aleatoric_variance"](0, i), noise, 1e-9);
      EXPECT_LT(p["quantiles"](0, i), p["quantiles"](1, i));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Splits, ConjugateOracle,
                         testing::Values(std::vector<Index>{60}, std::vector<Index>(60, 1),
                                         std::vector<Index>{1, 59}, std::vector<Index>{3, 30, 27},
                                         std::vector<Index>{7, 7, 7, 7, 32},
                                         std::vector<Index>(12, 5)));

TEST(ConjugateTwoOutputs, DecouplesIntoTwoRegressions) {
  Batch both = LinearBatch(kInputs, kRows, 0);
  Batch second = LinearBatch(kInputs, kRows, 1);
  second.inputs = both.inputs;
  Matrix targets(2, kRows);
  targets << both.targets, second.targets;

  LearnerConfig one = PlainConfig(kInputs, "gaussian");
  one.likelihood.options["noise"] = std::string("learned");
  one.rule.name = "conjugate";
  LearnerConfig two = one;
  two.target.width = 2;
  const LearnerState first_state = FoldSplits(one, both, {20, 40});
  const LearnerState second_state = FoldSplits(one, second, {20, 40});
  both.targets = targets;
  const LearnerState state = FoldSplits(two, both, {20, 40});
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  EXPECT_NEAR(q.mean[0], std::get<FullGaussian>(BeliefOf(first_state).posterior).mean[0], 1e-9);
  EXPECT_NEAR(q.mean[1], std::get<FullGaussian>(BeliefOf(second_state).posterior).mean[0], 1e-9);
  EXPECT_NEAR(BeliefOf(state).noise.rate[0], BeliefOf(first_state).noise.rate[0], 1e-9);
  EXPECT_NEAR(BeliefOf(state).noise.rate[1], BeliefOf(second_state).noise.rate[0], 1e-9);
}

// Draws of the weights of an output are as wide as its own noise makes them.
TEST(ConjugateTwoOutputs, DrawsAreInUnitsOfTheirOwnNoise) {
  Batch both = LinearBatch(kInputs, kRows, 0, 0.01);
  const Batch second = LinearBatch(kInputs, kRows, 1, 1);
  Matrix targets(2, kRows);
  targets << both.targets, second.targets;
  both.targets = targets;
  for (const char* rule : {"conjugate", "rvga"}) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.likelihood.options["noise"] = std::string("learned");
    config.target.width = 2;
    config.rule.name = rule;
    const LearnerState state = FoldSplits(config, both, {20, 40});
    const Learner learner = *Learner::Create(config);
    Batch query;
    query.inputs = Normals(kInputs, 1, 99);
    Scratch scratch;
    const Answer exact = *Ask(learner, state, query, scratch, {.queries = {{"moments", {}}}});
    const Answer drawn =
        *Ask(learner, state, query, scratch, {.samples = 4096, .queries = {{"moments", {}}}});
    for (Index c = 0; c < 2; ++c) {
      EXPECT_NEAR(drawn["epistemic_variance"](c, 0) / exact["epistemic_variance"](c, 0), 1, 0.1);
    }
  }
}

}  // namespace
}  // namespace prequel::conjugate_oracle_test
