// Rows that say when they happened: time passes by that, and not by their number.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::timed_rows_test {
namespace {

constexpr double kRate = 0.1, kCap = 1000;

LearnerConfig ConfigOf(const std::string& dynamics) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise"] = 0.25;
  config.posterior.name = "full";
  config.dynamics.name = dynamics;
  if (dynamics == "inflation") config.dynamics.options = {{"rate", kRate}, {"cap", kCap}};
  return config;
}

Batch RowsAt(std::uint64_t step, Index rows, double first, double gap) {
  Batch batch = LinearBatch(2, rows, step);
  batch.times = first + gap * Vector::LinSpaced(rows, 0, static_cast<double>(rows - 1)).array();
  return batch;
}

// `minibatches` of four rows, a second between all of them, or without times.
LearnerState Fold(const Learner& learner, std::uint64_t minibatches, bool timed) {
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < minibatches; ++t) {
    Batch batch = RowsAt(t, 4, 4 * static_cast<double>(t), 1);
    if (!timed) batch.times.resize(0);
    EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
  }
  return state;
}

// What a model predicts that learned rows with a second between all of them.
TEST(TimedRows, EvenlySpacedCountAsRowsDo) {
  for (const std::string dynamics :
       {"static", "inflation", "ou", "forgetting", "restart", "adaptive"}) {
    SCOPED_TRACE(dynamics);
    const Learner learner = Learner::Create(ConfigOf(dynamics)).value();
    const LearnerState timed = Fold(learner, 10, true), plain = Fold(learner, 10, false);
    EXPECT_EQ(timed.times.latest, 39);
    EXPECT_EQ(timed.times.gap, 1);
    Scratch scratch;
    const Batch batch = LinearBatch(2, 8, 99);
    for (const char* number : {"mean", "epistemic_variance", "aleatoric_variance"}) {
      const Matrix a = Ask(learner, timed, batch, scratch).value()[number];
      const Matrix b = Ask(learner, plain, batch, scratch).value()[number];
      EXPECT_LT((a - b).cwiseAbs().maxCoeff(), 1e-12) << number;
    }
  }
}

// Of each row of a query by itself, and of one that is learned, x P x after the time since the
// last.
TEST(TimedRows, TimePassesByTheMeanGap) {
  const Learner learner = Learner::Create(ConfigOf("inflation")).value();
  const LearnerState state = Fold(learner, 10, true);
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  const Matrix p = q.covariance.selfadjointView<Eigen::Lower>();
  const Vector prior =
      std::get<FullGaussian>(BeliefOf(learner.Initial()).posterior).covariance.diagonal();
  const auto variance = [&](const Batch& batch, Index row, double elapsed) {
    Vector x(3);
    x << batch.inputs.col(row), 1;
    const double c = std::exp(-elapsed * kRate / kCap);
    return c * x.dot(p * x) + (1 - c) * kCap * x.dot(prior.cwiseProduct(x));
  };
  Scratch scratch;
  Batch batch = LinearBatch(2, 5, 99);
  batch.times.resize(5);
  batch.times << 40, 49, 49, 12, 40.5;
  const PredictOptions logits{.queries = {{"logits", {}}}};
  const Answer answer = Ask(learner, state, batch, scratch, logits).value();
  const Vector elapsed = (Vector(5) << 1, 10, 10, 0, 1.5).finished();
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(answer["logit_covariance"](0, i), variance(batch, i, elapsed[i]), 1e-10) << i;
  }
  const absl::StatusOr<QuerySet> queries = learner.Ask(logits);
  Answer in_turn;
  LearnerState next;
  batch.times << 42, 42, 45, 45, 50;
  ASSERT_TRUE(learner.Update(state, batch, scratch, next, &*queries, &in_turn).ok());
  for (Index i = 0; i < 5; ++i) {
    EXPECT_NEAR(in_turn["logit_covariance"](0, i), variance(batch, i, batch.times[i] - 39), 1e-10);
  }
  EXPECT_EQ(next.times.latest, 50);
}

// The Kalman filter, which drifts before each row by the time up to it.
TEST(TimedRows, AreLearnedAfterTheDriftUpToThem) {
  const Learner learner = Learner::Create(ConfigOf("inflation")).value();
  const LearnerState state = Fold(learner, 10, true);
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  const Vector prior =
      std::get<FullGaussian>(BeliefOf(learner.Initial()).posterior).covariance.diagonal();
  Batch batch = LinearBatch(2, 5, 99);
  batch.times = (Vector(5) << 42, 42, 45, 45.5, 1000).finished();
  Matrix p = q.covariance.selfadjointView<Eigen::Lower>();
  Vector m = q.mean;
  double before = 39;
  for (Index i = 0; i < 5; ++i) {
    const double c = std::exp((before - batch.times[i]) * kRate / kCap);
    before = batch.times[i];
    p *= c;
    p.diagonal() += (1 - c) * kCap * prior;
    Vector x(3);
    x << batch.inputs.col(i), 1;
    const Vector gain = p * x / (x.dot(p * x) + 0.25);
    m += gain * (batch.targets(0, i) - m.dot(x));
    p -= gain * (p * x).transpose();
  }
  Scratch scratch;
  LearnerState next;
  ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
  const auto& learned = std::get<FullGaussian>(BeliefOf(next).posterior);
  const Matrix covariance = learned.covariance.selfadjointView<Eigen::Lower>();
  EXPECT_LT((learned.mean - m).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((covariance - p).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(TimedRows, RowsThatAreNotLearnedTakeNoTime) {
  LearnerConfig config = ConfigOf("inflation");
  config.target.allow_missing = true;
  const Learner learner = Learner::Create(config).value();
  LearnerState state = Fold(learner, 10, true), next;
  Scratch scratch;
  Batch batch = RowsAt(10, 3, 40, 1);
  batch.targets(0, 1) = batch.targets(0, 2) = std::nan("");
  ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
  EXPECT_EQ(next.times.latest, 40);
}

TEST(TimedRows, RestartBitIdentically) {
  const Learner learner = Learner::Create(ConfigOf("ou")).value();
  const LearnerState state = Fold(learner, 10, true);
  const absl::StatusOr<LearnerState> read = learner.DecodeState(learner.EncodeState(state));
  ASSERT_TRUE(read.ok()) << read.status();
  LearnerState a, b;
  Scratch scratch;
  const Batch batch = RowsAt(10, 3, 44, 0.3);
  ASSERT_TRUE(learner.Update(state, batch, scratch, a).ok());
  ASSERT_TRUE(learner.Update(*read, batch, scratch, b).ok());
  EXPECT_EQ(learner.EncodeState(a), learner.EncodeState(b));
}

TEST(TimedRows, AreRefusedByField) {
  const Learner learner = Learner::Create(ConfigOf("static")).value();
  Batch batch = RowsAt(0, 3, 5, -1);
  EXPECT_EQ(FieldOf(learner.CheckBatch(batch)), "batch.times[1]");
  EXPECT_TRUE(learner.CheckInputs(batch).ok());
  batch.times[2] = std::nan("");
  EXPECT_EQ(FieldOf(learner.CheckInputs(batch)), "batch.times[2]");
  const LearnerState state = Fold(learner, 10, true);
  LearnerState next;
  Scratch scratch;
  const absl::Status late = learner.Update(state, RowsAt(0, 3, -5000, 1), scratch, next).status();
  EXPECT_TRUE(absl::IsInvalidArgument(late)) << late;
  EXPECT_EQ(FieldOf(late), "batch.times[0]");
}

}  // namespace
}  // namespace prequel::timed_rows_test
