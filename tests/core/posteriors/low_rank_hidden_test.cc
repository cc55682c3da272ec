// HiLoFi's posterior and its step against dense algebra and the conjugate posterior.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "tests/core/belief_of.h"
#include "tests/core/configured.h"
#include "tests/core/finite_difference.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"
#include "tests/core/weighted_jacobian.h"

namespace prequel::low_rank_hidden_test {
namespace {

constexpr Index kInputs = 4;
constexpr Index kHidden = 30, kLast = 21, kRank = 5;  // weights of a network 4-6-3

LowRankHiddenGaussian RandomPosterior() {
  LowRankHiddenGaussian q;
  q.mean = 0.3 * Normals(kHidden + kLast, 1, 11);
  q.floor = 0.1 * Normals(kHidden, 1, 12).cwiseAbs2();
  q.factor = 0.5 * Normals(kHidden, kRank, 13);
  const Matrix root = Normals(kLast, kLast + 5, 14);
  q.covariance = root * root.transpose() / static_cast<double>(kLast);
  return q;
}

Matrix HiddenCovariance(const LowRankHiddenGaussian& q) {
  return q.factor * q.factor.transpose() + Matrix(q.floor.asDiagonal());
}

Matrix Covariance(const LowRankHiddenGaussian& q) {
  Matrix dense = Matrix::Zero(q.size(), q.size());
  dense.topLeftCorner(q.hidden(), q.hidden()) = HiddenCovariance(q);
  dense.bottomRightCorner(q.last(), q.last()) = q.covariance.selfadjointView<Eigen::Lower>();
  return dense;
}

// The best approximation of a covariance by L columns.
Matrix LargestPart(const Matrix& covariance, Index rank) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(covariance);
  const Matrix vectors = solver.eigenvectors().rightCols(rank);
  return vectors * solver.eigenvalues().tail(rank).asDiagonal() * vectors.transpose();
}

TEST(LowRankHiddenGaussian, DrawsHaveItsMoments) {
  const LowRankHiddenGaussian q = RandomPosterior();
  const SampledMoments moments = MomentsOfDraws<LowRankHiddenSampler>(q);
  EXPECT_LT((moments.mean - q.mean).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((moments.second - Covariance(q)).cwiseAbs().maxCoeff(), 0.05);
}

TEST(LowRankHiddenGaussian, StartsWithDirectionsOfThePriorAboveAFloor) {
  const Layers layers = {{.offset = 0, .inputs = 4, .outputs = 6},
                         {.offset = 30, .inputs = 6, .outputs = 3}};
  const auto prototype = Configured<LowRankHiddenGaussian>(
      {"low_rank_hidden", {{"rank", 5.0}, {"floor", 0.25}}}, layers);
  const Vector mean = Normals(kHidden + kLast, 1, 1);
  const Vector variances = Normals(kHidden + kLast, 1, 2).cwiseAbs2();
  const LowRankHiddenGaussian q = prototype.FromDiagonal(mean, variances);
  EXPECT_TRUE(q.IsSound(kHidden + kLast));
  EXPECT_TRUE(q.HasShapeOf(prototype));
  EXPECT_EQ(q.mean, mean);
  EXPECT_LT((q.floor - 0.25 * variances.head(kHidden)).norm(), 1e-14);
  EXPECT_EQ(q.covariance, Matrix(variances.tail(kLast).asDiagonal()));
  const Matrix whitened =
      variances.head(kHidden).cwiseSqrt().cwiseInverse().asDiagonal() * q.factor;
  EXPECT_LT((whitened.transpose() * whitened - 0.75 * Matrix::Identity(5, 5)).norm(), 1e-12);
  EXPECT_GT(whitened.rowwise().norm().minCoeff(), 0);
}

TEST(LowRankHiddenGaussian, StartsAtThePriorWithAllDirections) {
  const Layers layers = {{.offset = 0, .inputs = 4, .outputs = 6},
                         {.offset = 30, .inputs = 6, .outputs = 3}};
  const auto prototype = Configured<LowRankHiddenGaussian>(
      {"low_rank_hidden", {{"rank", 30.0}, {"floor", 0.25}}}, layers);
  const Vector variances = Normals(kHidden + kLast, 1, 2).cwiseAbs2();
  const LowRankHiddenGaussian q = prototype.FromDiagonal(variances, variances);
  EXPECT_LT((Covariance(q) - Matrix(variances.asDiagonal())).norm(), 1e-12);
}

// Three classes: two curvature columns a row, so that there are fewer columns than weights, or
// more.
class HilofiStep : public testing::TestWithParam<Index> {};

TEST_P(HilofiStep, IsTheDenseFilter) {
  const auto model =
      Configured<Mlp>({"mlp", {{"hidden", std::vector<double>{6}}}}, kInputs, Index{3});
  TargetConfig target;
  target.num_classes = 3;
  const Likelihood likelihood = Configured<Categorical>({"categorical", {}}, target);
  const Batch batch = BatchFor("categorical", kInputs, GetParam(), 1);
  const LowRankHiddenGaussian prior = RandomPosterior();
  const Matrix p = Covariance(prior);
  Expansion expansion;
  const NoiseLevel noise;
  const Model any_model = model;
  expansion.Bind(any_model, likelihood, batch.inputs, batch.targets, noise);
  LocalLowRankHidden fit;
  ASSERT_TRUE(fit.Begin(prior, 2 * GetParam()).ok());
  expansion.Linearize(prior.mean);
  fit.Project(expansion);
  Matrix jacobian;
  expansion.Jacobian(jacobian);
  for (Index i = 0; i < expansion.examples(); ++i) {
    const Matrix j = jacobian.middleCols(3 * i, 3);
    EXPECT_LT(
        RelativeError(expansion.moments().covariance.middleCols(3 * i, 3), j.transpose() * p * j),
        1e-9);
  }

  expansion.Expect(Expectation::kLinearized);
  ASSERT_TRUE(fit.Step(expansion).ok());
  const Matrix root = WeightedJacobian(expansion);
  const Index n = root.cols();
  const Matrix s = Matrix::Identity(n, n) + root.transpose() * p * root;
  const Matrix gain = p * root * s.inverse();
  const Matrix exact = p - gain * s * gain.transpose();
  const Vector gradient = jacobian * expansion.local().score.reshaped();
  const Vector moved = exact * gradient;
  EXPECT_LT(RelativeError(fit.mean() - prior.mean, moved), 1e-9);
  const Matrix ratio = p.llt().solve(exact);
  const double kl = 0.5 * (ratio.trace() - static_cast<double>(prior.size()) -
                           std::log(ratio.determinant()) + moved.dot(p.llt().solve(moved)));
  EXPECT_NEAR(fit.kl(), kl, 1e-7 * (1 + kl));

  LowRankHiddenGaussian next;
  ASSERT_TRUE(fit.Commit(next).ok());
  EXPECT_EQ(next.mean, fit.mean());
  EXPECT_EQ(next.floor, prior.floor);
  const Matrix last_gain = gain.bottomRows(kLast);
  const Matrix last_kept =
      Matrix::Identity(kLast, kLast) - last_gain * root.bottomRows(kLast).transpose();
  const Matrix last = last_kept * p.bottomRightCorner(kLast, kLast) * last_kept.transpose() +
                      last_gain * last_gain.transpose();
  EXPECT_LT(RelativeError(Covariance(next).bottomRightCorner(kLast, kLast), last), 1e-9);
  const Matrix hidden_gain = gain.topRows(kHidden);
  const Matrix hidden_kept =
      Matrix::Identity(kHidden, kHidden) - hidden_gain * root.topRows(kHidden).transpose();
  const Matrix factor = hidden_kept * prior.factor;
  const Matrix hidden = factor * factor.transpose() + hidden_gain * hidden_gain.transpose();
  EXPECT_LT(RelativeError(next.factor * next.factor.transpose(), LargestPart(hidden, kRank)), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(Rows, HilofiStep, testing::Values(Index{1}, Index{9}, Index{40}));

// Without hidden layers it is the Kalman filter.
TEST(Hilofi, IsTheConjugatePosteriorOfALinearModel) {
  for (const Index rows : {1, 3, 60}) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.likelihood.options["noise"] = 0.25;
    const auto after = [&](const ComponentConfig& rule) {
      config.rule = rule;
      const Learner learner = *Learner::Create(config);
      LearnerState state = learner.Initial(), next;
      Scratch scratch;
      for (std::uint64_t t = 0; t < 10; ++t) {
        EXPECT_TRUE(
            learner.Update(state, BatchFor("gaussian", kInputs, rows, t), scratch, next).ok());
        std::swap(state, next);
      }
      return state;
    };
    const LearnerState filtered = after({"hilofi", {}}), exact = after({"conjugate", {}});
    const auto& q = std::get<LowRankHiddenGaussian>(BeliefOf(filtered).posterior);
    const auto& p = std::get<FullGaussian>(BeliefOf(exact).posterior);
    EXPECT_EQ(q.hidden(), 0);
    EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-9) << rows;
    const Matrix covariance = p.covariance.selfadjointView<Eigen::Lower>();
    EXPECT_LT((covariance - Covariance(q)).cwiseAbs().maxCoeff(), 1e-9) << rows;
  }
}

LearnerConfig NetworkConfig(double rank, double floor) {
  LearnerConfig config = PlainConfig(kInputs, "bernoulli");
  config.model = {"mlp", {{"hidden", std::vector<double>{4}}, {"activation", std::string("relu")}}};
  config.posterior = {"low_rank_hidden", {{"rank", rank}, {"floor", floor}}};
  config.rule = {"hilofi", {}};
  return config;
}

// Minibatches of very different leverage, also on the last layer.
TEST(Hilofi, StaysPositiveDefiniteOverTenThousandRandomSteps) {
  const Learner learner = *Learner::Create(NetworkConfig(3, 0.01));
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  int rejected = 0;
  absl::Status first;  // rejection
  for (std::uint64_t t = 0; t < 10000; ++t) {
    Batch batch = LogisticBatch(kInputs, 1 + static_cast<Index>(t % 3), t);
    batch.inputs *= std::exp(3 * std::sin(static_cast<double>(t)));
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    if (!learned.ok()) {
      ++rejected;
      first.Update(learned.status());
      continue;
    }
    std::swap(state, next);
    const auto& q = std::get<LowRankHiddenGaussian>(BeliefOf(state).posterior);
    ASSERT_TRUE(q.IsFinite()) << t;
    ASSERT_EQ(Matrix(q.covariance).llt().info(), Eigen::Success) << t;
  }
  EXPECT_LT(rejected, 10) << first;
}

// Linear regression under a vague prior and little noise: one minibatch takes thirteen orders of
// magnitude from the covariance.
TEST(Hilofi, StaysPositiveDefiniteFromAVaguePrior) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.likelihood.options["noise"] = 1e-6;
  config.prior.options["precision"] = 1e-6;
  config.rule = {"hilofi", {}};
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 2000; ++t) {
    ASSERT_TRUE(
        learner.Update(state, BatchFor("gaussian", kInputs, 1 + t % 9, t), scratch, next).ok());
    std::swap(state, next);
    const auto& q = std::get<LowRankHiddenGaussian>(BeliefOf(state).posterior);
    ASSERT_EQ(Matrix(q.covariance).llt().info(), Eigen::Success) << t;
  }
}

// Without a floor the hidden layers move within the first directions.
TEST(Hilofi, LeavesTheFirstDirectionsOnlyThroughTheFloor) {
  for (const double floor : {0.0, 0.01}) {
    const Learner learner = *Learner::Create(NetworkConfig(3, floor));
    LearnerState state = learner.Initial(), next;
    const auto first = std::get<LowRankHiddenGaussian>(BeliefOf(state).posterior);
    Scratch scratch;
    for (std::uint64_t t = 0; t < 20; ++t) {
      ASSERT_TRUE(learner.Update(state, LogisticBatch(kInputs, 8, t), scratch, next).ok());
      std::swap(state, next);
    }
    const auto& q = std::get<LowRankHiddenGaussian>(BeliefOf(state).posterior);
    const Vector moved = (q.mean - first.mean).head(q.hidden());
    const Matrix basis =
        first.factor * first.factor.colwise().norm().cwiseInverse().asDiagonal();  // orthonormal
    const double outside = (moved - basis * (basis.transpose() * moved)).norm() / moved.norm();
    if (floor == 0) {
      EXPECT_LT(outside, 1e-9);
    } else {
      EXPECT_GT(outside, 1e-2);
    }
  }
}

TEST(Hilofi, RefusesWhatCannotWork) {
  const auto field = [](const ComponentConfig& rule, const ComponentConfig& posterior,
                        bool network) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    if (network) config.model = {"mlp", {{"hidden", std::vector<double>{6}}}};
    config.rule = rule;
    config.posterior = posterior;
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    return learner.ok() ? "" : FieldOf(learner.status()).value_or("no field");
  };
  const ComponentConfig hilofi{"hilofi", {}};
  EXPECT_EQ(field(hilofi, {"", {}}, true), "");
  EXPECT_EQ(field(hilofi, {"full", {}}, true), "config.rule");
  EXPECT_EQ(field({"lofi", {}}, {"low_rank_hidden", {}}, true), "config.rule");
  EXPECT_EQ(field({"hilofi", {{"mode", std::string("dataset")}}}, {"", {}}, true),
            "config.rule.options.mode");
  const auto rank = [](double value) {
    return ComponentConfig{"low_rank_hidden", {{"rank", value}}};
  };
  EXPECT_EQ(field(hilofi, rank(30), true), "");
  EXPECT_EQ(field(hilofi, rank(31), true), "config.posterior.options.rank");
  EXPECT_EQ(field(hilofi, rank(0), true), "config.posterior.options.rank");
  EXPECT_EQ(field(hilofi, rank(0), false), "");
  EXPECT_EQ(field(hilofi, rank(1), false), "config.posterior.options.rank");
  EXPECT_EQ(field(hilofi, {"low_rank_hidden", {{"floor", 1.5}}}, true),
            "config.posterior.options.floor");
}

}  // namespace
}  // namespace prequel::low_rank_hidden_test
