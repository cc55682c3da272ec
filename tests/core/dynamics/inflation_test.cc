#include "core/dynamics/inflation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/drifting/steps.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::inflation_test {
namespace {

constexpr double kNoise = 0.25;

LearnerConfig ConfigOf(Index inputs, ComponentConfig dynamics) {
  LearnerConfig config = PlainConfig(inputs, "gaussian");
  config.likelihood.options["noise"] = kNoise;
  config.posterior.name = "full";
  config.dynamics = std::move(dynamics);
  return config;
}

Answer Logits(const Learner& learner, const LearnerState& state, const Batch& batch) {
  Scratch scratch;
  return Ask(learner, state, batch, scratch, {.queries = {{"logits", {}}}}).value();
}

TEST(Inflation, DriftsByLayer) {
  const ComponentConfig config{"inflation",
                               {{"rate", 0.01}, {"intercept_rate", 10.0}, {"cap", 100.0}}};
  Options options("config.dynamics", config);
  Inflation inflation;
  const Layers layers = {{.offset = 0, .inputs = 2, .outputs = 1},
                         {.offset = 3, .inputs = 1, .outputs = 1}};
  ASSERT_TRUE(inflation.Configure(options, {.layers = layers}).ok());
  const Vector prior = Vector::LinSpaced(5, 1, 5);
  DiagonalGaussian q{{}, Vector::Zero(5), Vector::Constant(5, 4)};
  DynamicsScratch scratch;
  const Vector mean = Vector::Zero(5);
  inflation.Move({.rows = 20, .prior_variances = prior, .prior_mean = mean, .layers = layers}, q,
                 scratch);
  const auto variance = [&](double rate, double cap, Index i) {
    const double c = std::exp(-20 * rate / cap);
    return c / 4 + (1 - c) * cap * prior[i];
  };
  for (Index i = 0; i < 3; ++i) {
    EXPECT_NEAR(1 / q.precision[i], variance(0.01, 1, i), 1e-13) << "a hidden weight";
  }
  EXPECT_NEAR(1 / q.precision[3], variance(0.01, 100, 3), 1e-13);
  EXPECT_NEAR(1 / q.precision[4], variance(10, 100, 4), 1e-11) << "the intercept";
}

// A level that walks may be anywhere in the end; a weight may not, unless that is asked for.
TEST(Inflation, AnInterceptGrowsForAsLongAsItIsNotSeen) {
  for (const bool given : {false, true}) {
    ComponentConfig config{"inflation", {{"rate", 1.0}}};
    if (given) config.options["intercept_cap"] = 50.0;
    Options options("config.dynamics", config);
    Inflation inflation;
    const Layers layers = {{.offset = 0, .inputs = 1, .outputs = 1}};
    ASSERT_TRUE(inflation.Configure(options, {.layers = layers}).ok());
    const Vector prior = Vector::Constant(2, 4), mean = Vector::Zero(2);
    DiagonalGaussian q{{}, Vector::Zero(2), Vector::Ones(2)};
    DynamicsScratch scratch;
    inflation.Move({.rows = 1e5, .prior_variances = prior, .prior_mean = mean, .layers = layers}, q,
                   scratch);
    EXPECT_NEAR(1 / q.precision[0], 1000 * 4, 1e-6) << "a weight, at its cap";
    EXPECT_NEAR(1 / q.precision[1], given ? 50 * 4 : 1e5 * 4 + 1, given ? 1e-6 : 0.1);
  }
}

TEST(Inflation, CapsOutOfRangeAreRefusedByName) {
  for (const std::string dynamics : {"inflation", "adaptive"}) {
    for (const std::string cap : {"cap", "intercept_cap"}) {
      for (const double bad : {0.0, -1.0, 0.99, 1e13, std::nan(""), HUGE_VAL}) {
        LearnerConfig config = PlainConfig(2, "gaussian");
        config.dynamics = {dynamics, {{cap, bad}}};
        if (dynamics == "inflation") config.dynamics.options["rate"] = 1e-3;
        const absl::Status status = Learner::Create(config).status();
        EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << dynamics << bad;
        EXPECT_EQ(FieldOf(status), "config.dynamics.options." + cap) << dynamics << bad;
        EXPECT_THAT(std::string(status.message()), ::testing::HasSubstr("[1, 1e+12]"));
      }
    }
  }
}

TEST(Inflation, NeverExceedsItsCap) {
  Inflation inflation;
  const ComponentConfig config{"inflation", {{"rate", 1e6}, {"cap", 50.0}}};
  Options options("config.dynamics", config);
  const Layers layers = {{.offset = 0, .inputs = 2, .outputs = 1}};
  ASSERT_TRUE(inflation.Configure(options, {.layers = layers}).ok());
  const Vector prior = Vector::Ones(3);
  FullGaussian q{{}, Vector::Zero(3), Matrix::Identity(3, 3)};
  DynamicsScratch scratch;
  const Vector mean = Vector::Zero(3);
  for (int i = 0; i < 5; ++i) {
    inflation.Move({.rows = 1000, .prior_variances = prior, .prior_mean = mean, .layers = layers},
                   q, scratch);
  }
  EXPECT_LE(q.covariance.diagonal().maxCoeff(), 50);
}

// The Kalman filter whose weights walk between the steps of a minibatch, in dense algebra.
class Kalman {
 public:
  static constexpr double kRate = 0.02, kInterceptRate = 0.5, kCap = 1000;  // κ of all weights

  void Drift(Index rows) {
    const Vector exponent =
        static_cast<double>(rows) / kCap * Eigen::Vector3d(kRate, kRate, kInterceptRate);
    const Vector root = (-0.5 * exponent).array().exp();
    p = root.asDiagonal() * p * root.asDiagonal();
    for (Index i = 0; i < 3; ++i) p(i, i) -= std::expm1(-exponent[i]) * kCap;
  }
  void Learn(const Matrix& j, const Vector& y) {
    const Matrix s = j * p * j.transpose() + kNoise * Matrix::Identity(j.rows(), j.rows());
    const Matrix gain = s.llt().solve(j * p).transpose();
    m += gain * (y - j * m);
    p -= gain * j * p;
  }

  Vector m = Vector::Zero(3);
  Matrix p = Matrix::Identity(3, 3);
};

TEST(Inflation, OfALinearModelIsTheKalmanFilter) {
  const Learner learner = Learner::Create(ConfigOf(2, {"inflation",
                                                       {{"rate", Kalman::kRate},
                                                        {"intercept_rate", Kalman::kInterceptRate},
                                                        {"cap", Kalman::kCap}}}))
                              .value();
  LearnerState state = learner.Initial(), next = learner.Initial();
  Scratch scratch;
  Kalman filter;
  const absl::StatusOr<QuerySet> queries = learner.Ask({.queries = {{"logits", {}}}});
  for (const Index rows : {1, 7, 3, 20, 5, 64}) {
    const Batch batch = LinearBatch(2, rows, static_cast<std::uint64_t>(rows));
    Matrix j(rows, 3);
    j << batch.inputs.transpose(), Vector::Ones(rows);
    const Vector y = batch.targets.row(0);
    Answer answer;  // of the rows in turn, as they are scored
    ASSERT_TRUE(learner.Update(state, batch, scratch, next, &*queries, &answer).ok());
    EXPECT_TRUE(answer["logit_mean"].row(0).isApprox((j * filter.m).transpose(), 1e-12)) << rows;
    Kalman ahead = filter;  // that sees no target
    for (Index i = 0; i < rows; ++i) {
      ahead.Drift(1);
      const double variance = (j.row(i) * ahead.p * j.row(i).transpose()).value();
      EXPECT_NEAR(answer["logit_covariance"](0, i) / variance, 1, 1e-12) << rows << ", " << i;
      filter.Drift(1);
      filter.Learn(j.row(i), y.segment(i, 1));
    }
    std::swap(state, next);
  }
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  EXPECT_TRUE(q.mean.isApprox(filter.m, 1e-12));
  EXPECT_TRUE(Matrix(q.covariance.selfadjointView<Eigen::Lower>()).isApprox(filter.p, 1e-12));
}

// A minibatch is as many minibatches of one row, whatever is learned.
TEST(Inflation, RowsOfAMinibatchDriftAndAreLearnedOneByOne) {
  for (const std::string likelihood : {"gaussian", "bernoulli"}) {
    SCOPED_TRACE(likelihood);
    LearnerConfig config = PlainConfig(30, likelihood);
    config.posterior.name = "full";
    config.dynamics = {"inflation", {{"rate", 0.1}, {"intercept_rate", 100.0}}};
    config.standardize_targets = Standardize::kNone;
    const Learner learner = Learner::Create(config).value();
    LearnerState whole = learner.Initial(), rowwise = learner.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 3; ++t) {
      const Batch batch = BatchFor(likelihood, 30, 40, t);
      ASSERT_TRUE(learner.Update(whole, batch, scratch, next).ok());
      std::swap(whole, next);
      for (Index i = 0; i < batch.rows(); ++i) {
        ASSERT_TRUE(learner.Update(rowwise, RowsOf(batch, i, 1), scratch, next).ok());
        std::swap(rowwise, next);
      }
    }
    const auto& q = std::get<FullGaussian>(BeliefOf(whole).posterior);
    const auto& want = std::get<FullGaussian>(BeliefOf(rowwise).posterior);
    EXPECT_TRUE(q.mean.isApprox(want.mean, 1e-9));
    EXPECT_TRUE(q.covariance.isApprox(want.covariance, 1e-9));
    if (likelihood != "gaussian") continue;
    EXPECT_TRUE(BeliefOf(whole).noise.rate.isApprox(BeliefOf(rowwise).noise.rate, 1e-9));
  }
}

// With several logits, or less than a covariance, the rows of up to 8 steps are lumps.
TEST(Inflation, OtherwiseFewRowsDriftOneByOne) {
  LearnerConfig config = PlainConfig(2, "categorical");
  config.target.num_classes = 3;
  config.posterior.name = "full";
  config.dynamics = {"inflation", {{"rate", 0.1}}};
  const Learner learner = Learner::Create(config).value();
  LearnerState whole = learner.Initial(), rowwise = learner.Initial(), next;
  Scratch scratch;
  const Batch batch = BatchFor("categorical", 2, kMostSteps, 1);
  ASSERT_TRUE(learner.Update(whole, batch, scratch, next).ok());
  std::swap(whole, next);
  for (Index i = 0; i < kMostSteps; ++i) {
    ASSERT_TRUE(learner.Update(rowwise, RowsOf(batch, i, 1), scratch, next).ok());
    std::swap(rowwise, next);
  }
  const auto& q = std::get<FullGaussian>(BeliefOf(whole).posterior);
  const auto& want = std::get<FullGaussian>(BeliefOf(rowwise).posterior);
  EXPECT_EQ(q.mean, want.mean);
  EXPECT_EQ(q.covariance, want.covariance);
}

// However many are asked about beside it, and however they are cut to be worked on. At inputs of 0
// only the intercept speaks, which drifts by the rate and has no cap that matters.
TEST(Inflation, ARowOfAQueryIsTheNextRow) {
  const Learner learner = Learner::Create(ConfigOf(1, {"inflation", {{"rate", 0.1}}})).value();
  Batch batch;
  batch.inputs = Matrix::Zero(1, 600);
  const Answer answer = Logits(learner, learner.Initial(), batch);
  for (Index row = 0; row < 600; ++row) {
    EXPECT_NEAR(answer["logit_covariance"](0, row), 1 + 0.1, 1e-10) << row;
  }
}

TEST(Inflation, FollowsAWorldThatMoves) {
  const auto nll = [](const std::string& dynamics) {
    const Learner learner = Learner::Create(ConfigOf(3, {dynamics, {}})).value();
    LearnerState state = learner.Initial(), next = learner.Initial();
    Scratch scratch;
    for (int t = 0; t < 200; ++t) {
      Batch batch = LinearBatch(3, 8, static_cast<std::uint64_t>(t));
      if (t >= 100) batch.targets *= -1;
      EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
    }
    return state.evaluation.cumulative.Average()["nll"];
  };
  EXPECT_LT(nll("inflation"), nll("static") - 1);
}

// Every posterior that has a diagonal, in a network: not knowing the weights it is less sure.
TEST(Inflation, MovesEveryPosteriorThatHasADiagonal) {
  for (const std::string posterior : {"full", "diagonal", "low_rank", "block_diagonal", "per_unit",
                                      "last_layer", "subnetwork", "low_rank_hidden"}) {
    SCOPED_TRACE(posterior);
    const auto variance = [&](ComponentConfig dynamics) {
      LearnerConfig config = ConfigOf(2, std::move(dynamics));
      config.model = {"mlp", {{"hidden", std::vector<double>{4}}}};
      config.posterior.name = posterior;
      if (posterior == "low_rank_hidden") config.rule.name = "hilofi";
      const absl::StatusOr<Learner> learner = Learner::Create(config);
      EXPECT_TRUE(learner.ok()) << learner.status();
      LearnerState state = learner->Initial(), next = learner->Initial();
      Scratch scratch;
      for (int t = 0; t < 10; ++t) {
        const absl::StatusOr<Learned> learned = learner->Update(
            state, LinearBatch(2, 16, static_cast<std::uint64_t>(t)), scratch, next);
        EXPECT_TRUE(learned.ok()) << learned.status();
        std::swap(state, next);
      }
      return Logits(*learner, state, LinearBatch(2, 16, 99))["logit_covariance"].mean();
    };
    const double still = variance({"static", {}});
    EXPECT_GT(variance({"inflation", {{"rate", 0.01}}}), 1.1 * still);
    EXPECT_NEAR(variance({"inflation", {{"rate", 0.0}}}) / still, 1, 1e-6);
  }
}

TEST(Inflation, IsRefusedWhereNothingCanMove) {
  LearnerConfig config = ConfigOf(2, {"inflation", {}});
  config.posterior.name = "point";
  config.rule = {"adam", {{"dataset_size", 100.0}}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
  config.posterior.name = "diagonal";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
  config = ConfigOf(2, {"inflation", {{"rate", -1.0}}});
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics.options.rate");
}

}  // namespace
}  // namespace prequel::inflation_test
