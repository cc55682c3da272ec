// Rows that count otherwise than once.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/fold_once.h"
#include "tests/core/streams.h"

namespace prequel::row_weights_test {
namespace {

LearnerConfig ConfigOf(const std::string& likelihood, const std::string& dynamics = "static") {
  LearnerConfig config = PlainConfig(3, likelihood);
  if (likelihood == "categorical") config.target.num_classes = 3;
  config.posterior.name = "full";
  // To the fixed point, whatever the number of rows.
  config.rule = {"rvga", {{"tolerance", 0.0}, {"passes", 1000.0}}};
  config.dynamics.name = dynamics;
  return config;
}

// Row i counts 1 + i % 3 times.
Batch Weighed(const std::string& likelihood, std::uint64_t step) {
  Batch batch = BatchFor(likelihood, 3, 12, step);
  batch.weights.resize(12);
  for (Index i = 0; i < 12; ++i) batch.weights[i] = static_cast<double>(1 + i % 3);
  return batch;
}

// And comes as often.
Batch Repeated(const Batch& weighed) {
  std::vector<Index> rows;
  for (Index i = 0; i < weighed.rows(); ++i) {
    for (int k = 0; k < weighed.weights[i]; ++k) rows.push_back(i);
  }
  Batch out;
  SelectRows(weighed, rows, out);
  out.weights.resize(0);
  return out;
}

void ExpectAlike(const LearnerState& a, const LearnerState& b, double tolerance) {
  const auto& q = std::get<FullGaussian>(BeliefOf(a).posterior);
  const auto& want = std::get<FullGaussian>(BeliefOf(b).posterior);
  EXPECT_TRUE(q.mean.isApprox(want.mean, tolerance));
  EXPECT_TRUE(Matrix(q.covariance.selfadjointView<Eigen::Lower>())
                  .isApprox(Matrix(want.covariance.selfadjointView<Eigen::Lower>()), tolerance));
  if (BeliefOf(a).noise.shape.size() > 0) {
    EXPECT_TRUE(BeliefOf(a).noise.shape.isApprox(BeliefOf(b).noise.shape, tolerance));
    EXPECT_TRUE(BeliefOf(a).noise.rate.isApprox(BeliefOf(b).noise.rate, tolerance));
  }
}

class RowWeights : public testing::TestWithParam<std::string> {};

// In one minibatch a row that counts twice is two rows that are alike, in what is learned and in
// what is scored.
TEST_P(RowWeights, AreAsManyRows) {
  const std::string& likelihood = GetParam();
  const Learner learner = Learner::Create(ConfigOf(likelihood)).value();
  LearnerState weighed = learner.Initial(), repeated = weighed;
  for (std::uint64_t t = 0; t < 4; ++t) {
    const Batch batch = Weighed(likelihood, t);
    weighed = FoldOnce(learner, weighed, batch);
    repeated = FoldOnce(learner, repeated, Repeated(batch));
  }
  ExpectAlike(weighed, repeated, likelihood == "gaussian" ? 1e-12 : 1e-6);
  const Scores scores = weighed.evaluation.cumulative.Average();
  const Scores want = repeated.evaluation.cumulative.Average();
  EXPECT_EQ(scores.examples, want.examples);
  for (const NamedScore& score : want) {
    EXPECT_NEAR(scores[score.name], score.value, 1e-6 * (1 + std::abs(score.value))) << score.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, RowWeights, testing::ValuesIn(LikelihoodNames()),
                         [](const auto& each) { return each.param; });

// A belief that drifts learns row by row: then a row that counts twice is one that comes twice with
// hardly any time between.
TEST(RowWeightsInTurn, AreAsManyRows) {
  LearnerConfig config = ConfigOf("gaussian", "inflation");
  config.dynamics.options["rate"] = 1e-13;
  const Learner learner = Learner::Create(config).value();
  const Batch batch = Weighed("gaussian", 1);
  ExpectAlike(FoldOnce(learner, learner.Initial(), batch),
              FoldOnce(learner, learner.Initial(), Repeated(batch)), 1e-9);
}

TEST(RowWeightsOfRobustModels, CountBesideTheirOwn) {
  LearnerConfig config = ConfigOf("gaussian");
  config.robustness.name = "imq";
  const Learner learner = Learner::Create(config).value();
  const LearnerState state = FoldOnce(learner, learner.Initial(), BatchFor("gaussian", 3, 40, 9));
  const Batch batch = Weighed("gaussian", 1);
  ExpectAlike(FoldOnce(learner, state, batch), FoldOnce(learner, state, Repeated(batch)), 1e-12);
}

// To the bit: of classes and drift too, and with calibration.
TEST(RowWeightsOfOne, AreNone) {
  for (const std::string& likelihood : LikelihoodNames()) {
    for (const std::string dynamics : {"static", "adaptive"}) {
      SCOPED_TRACE(likelihood + " " + dynamics);
      LearnerConfig config = ConfigOf(likelihood, dynamics);
      config.calibration.name = "online";
      const Learner learner = Learner::Create(config).value();
      LearnerState plain = learner.Initial(), weighed = plain;
      for (std::uint64_t t = 0; t < 3; ++t) {
        Batch batch = BatchFor(likelihood, 3, 12, t);
        plain = FoldOnce(learner, plain, batch);
        batch.weights.setOnes(12);
        weighed = FoldOnce(learner, weighed, batch);
      }
      EXPECT_EQ(learner.EncodeState(weighed), learner.EncodeState(plain));
    }
  }
}

// What counts 0 times leaves nothing but that it was passed over.
TEST(RowWeightsOfZero, AreNeitherLearnedNorScored) {
  const Learner learner = Learner::Create(ConfigOf("bernoulli", "adaptive")).value();
  Batch batch = BatchFor("bernoulli", 3, 12, 1);
  const LearnerState eight = FoldOnce(learner, learner.Initial(), RowsOf(batch, 0, 8));
  batch.weights.setOnes(12);
  batch.weights.tail(4).setZero();
  batch.inputs.rightCols(4).setConstant(1e6);
  LearnerState next;
  Scratch scratch;
  const Learned learned = learner.Update(learner.Initial(), batch, scratch, next).value();
  EXPECT_EQ(learned.report.rows, 8);
  EXPECT_EQ(learned.report.skipped_rows, 4);
  EXPECT_EQ(next.evaluation.skipped_rows, 4);
  next.evaluation.skipped_rows = 0;
  EXPECT_EQ(learner.EncodeState(next), learner.EncodeState(eight));
}

TEST(RowWeightsThatAreBad, AreRefusedByRow) {
  const Learner learner = Learner::Create(ConfigOf("gaussian")).value();
  Batch batch = BatchFor("gaussian", 3, 4, 1);
  batch.weights = Vector::Ones(3);
  EXPECT_EQ(std::string(learner.CheckBatch(batch).message()),
            "batch.weights: must be 4, one per row of inputs, got 3");
  for (const double bad : {-1.0, std::nan(""), std::numeric_limits<double>::infinity(), 2e6}) {
    batch.weights = Vector::Ones(4);
    batch.weights[2] = bad;
    const absl::Status status = learner.CheckBatch(batch);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_NE(status.message().find("batch.weights[2]"), std::string::npos) << status;
    EXPECT_EQ(learner.CheckInputs(batch), status);
  }
}

}  // namespace
}  // namespace prequel::row_weights_test
