// The block-diagonal posterior against the full one, dense algebra and the optimum of its own ELBO.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/config/field_error.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "core/rules/rvga.h"
#include "tests/core/belief_of.h"
#include "tests/core/configured.h"
#include "tests/core/finite_difference.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"
#include "tests/core/weighted_jacobian.h"

namespace prequel::block_diagonal_test {
namespace {

constexpr Index kInputs = 4;

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }
Matrix Inverse(const Matrix& a) { return a.llt().solve(Matrix::Identity(a.rows(), a.cols())); }
double LogDeterminant(const Matrix& a) {
  return 2 * a.llt().matrixLLT().diagonal().array().log().sum();
}

BlockDiagonalGaussian RandomBlocks(const std::vector<Index>& sizes) {
  BlockDiagonalGaussian q;
  Index total = 0;
  for (const Index size : sizes) {
    const Matrix root = Normals(size, size + 5, 12, static_cast<std::uint64_t>(total));
    q.blocks.push_back({root * root.transpose() / static_cast<double>(size)});
    total += size;
  }
  q.mean = 0.3 * Normals(total, 1, 11);
  return q;
}

Matrix Covariance(const BlockDiagonalGaussian& q) {
  Matrix dense = Matrix::Zero(q.size(), q.size());
  Index offset = 0;
  for (const auto& block : q.blocks) {
    dense.block(offset, offset, block.size(), block.size()) = Symmetric(block.covariance);
    offset += block.size();
  }
  return dense;
}

// With zeros where weights of different blocks meet.
Matrix BlocksOf(const Matrix& dense, const BlockDiagonalGaussian& shape) {
  Matrix out = Matrix::Zero(dense.rows(), dense.cols());
  Index offset = 0;
  for (const auto& block : shape.blocks) {
    out.block(offset, offset, block.size(), block.size()) =
        dense.block(offset, offset, block.size(), block.size());
    offset += block.size();
  }
  return out;
}

// Three classes; blocks of 30 and 21 weights, two curvature columns a row.
class BlockDiagonalFit : public testing::TestWithParam<std::tuple<Index, bool>> {
 protected:
  BlockDiagonalFit()
      : model_(Configured<Mlp>({"mlp", {{"hidden", std::vector<double>{6}}}}, kInputs, Index{3})),
        prior_(RandomBlocks({30, 21})) {
    TargetConfig target;
    target.num_classes = 3;
    likelihood_ = Configured<Categorical>({"categorical", {}}, target);
    const auto [rows, draws] = GetParam();
    batch_ = BatchFor("categorical", kInputs, rows, 1);
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    EXPECT_TRUE(fit_.Begin(prior_, 2 * rows, draws).ok());
  }

  // One round from `covariance`, of q as it stands, checked against dense algebra; leaves its
  // next covariance.
  void RoundAgainstDense(double rho, Matrix& covariance) {
    const Matrix prior_precision = Inverse(Covariance(prior_));
    const Vector offset = fit_.mean() - prior_.mean;
    expansion_.Linearize(fit_.mean());
    fit_.Project(expansion_);
    Matrix jacobian;
    expansion_.Jacobian(jacobian);
    for (Index i = 0; i < expansion_.examples(); ++i) {
      const Matrix j = jacobian.middleCols(3 * i, 3);
      EXPECT_LT(RelativeError(expansion_.moments().covariance.middleCols(3 * i, 3),
                              j.transpose() * covariance * j),
                1e-9);
    }
    expansion_.Expect(Expectation::kLinearized);
    fit_.StartCurve();
    fit_.AddCurve(expansion_, 1.0);
    ASSERT_TRUE(fit_.SolveCurve().ok());
    fit_.Move(rho);

    const Matrix root = WeightedJacobian(expansion_);
    const Matrix next = prior_precision + BlocksOf(root * root.transpose(), prior_);
    covariance = Inverse(next);
    const Vector gradient = jacobian * expansion_.local().score.reshaped();
    const Vector moved = offset + rho * covariance * (gradient - prior_precision * offset);
    EXPECT_LT(RelativeError(fit_.mean() - prior_.mean, moved), 1e-9);
    const double mean_kl = 0.5 * moved.dot(prior_precision * moved);
    const double kl = mean_kl + 0.5 * ((prior_precision * covariance).trace() -
                                       static_cast<double>(prior_.size()) + LogDeterminant(next) -
                                       LogDeterminant(prior_precision));
    EXPECT_NEAR(fit_.mean_kl(), mean_kl, 1e-9 * (1 + mean_kl));
    EXPECT_NEAR(fit_.kl(), kl, 1e-8 * (1 + kl));
  }

  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  BlockDiagonalGaussian prior_;
  LocalBlockDiagonal fit_;
};

TEST_P(BlockDiagonalFit, RoundsAreTheBlocksOfTheDenseStep) {
  Matrix covariance = Covariance(prior_);
  RoundAgainstDense(0.5, covariance);
  fit_.Accept();
  RoundAgainstDense(1.0, covariance);
  fit_.Accept();
  const Vector mean = fit_.mean();
  const double kl = fit_.kl();
  Matrix dropped = covariance;
  RoundAgainstDense(0.3, dropped);
  fit_.KeepCurve();
  fit_.Move(0);
  EXPECT_LT(RelativeError(fit_.mean(), mean), 1e-14);
  EXPECT_NEAR(fit_.kl(), kl, 1e-9 * (1 + kl));
  fit_.Move(0.7);
  EXPECT_GT(RelativeError(fit_.mean(), mean), 1e-6);
  fit_.Revert();
  EXPECT_EQ(fit_.mean(), mean);

  BlockDiagonalGaussian next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  EXPECT_EQ(next.mean, mean);
  EXPECT_LT(RelativeError(Covariance(next), covariance), 1e-9);
}

// Fewer curvature columns than weights of a block, between the two blocks' weights, and more.
INSTANTIATE_TEST_SUITE_P(Forms, BlockDiagonalFit,
                         testing::Values(std::make_tuple(Index{1}, false),
                                         std::make_tuple(Index{9}, true),
                                         std::make_tuple(Index{12}, false),
                                         std::make_tuple(Index{40}, false)));

// A logistic regression whose five weights are in blocks of two and three, fitted to convergence.
class SplitRegression : public testing::Test {
 protected:
  SplitRegression()
      : model_(Configured<Linear>({"linear", {}}, kInputs, Index{1})),
        prior_(RandomBlocks({2, 3})) {}

  BlockDiagonalGaussian Fit(const std::string& likelihood) {
    likelihood_ = MakeLikelihood(likelihood);
    batch_ = BatchFor(likelihood, kInputs, 25, 1);
    noise_.variance = Vector::Constant(1, 0.25);
    noise_.dof = Vector::Constant(1, std::numeric_limits<double>::infinity());
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    Rvga rule;
    rule.passes = 1000;
    rule.tolerance = 0;
    LocalBlockDiagonal fit;
    EXPECT_TRUE(fit.Begin(prior_, 25, false).ok());
    expansion_.Linearize(prior_.mean);
    fit.Project(expansion_);
    RuleScratch scratch;
    StepReport report;
    BlockDiagonalGaussian next;
    EXPECT_TRUE(rule.Fit(expansion_, fit, Stream{}, scratch, report, next).ok());
    EXPECT_TRUE(report.converged);
    return next;
  }

  static Likelihood MakeLikelihood(const std::string& name) {
    if (name == "bernoulli") {
      TargetConfig target;
      target.num_classes = 2;
      return Configured<Bernoulli>({"bernoulli", {}}, target);
    }
    return Configured<Gaussian>({"gaussian", {{"noise", 0.25}}}, TargetConfig{});
  }

  Matrix Design() const {
    Matrix x(25, 5);
    x.leftCols(kInputs) = batch_.inputs.transpose();
    x.col(kInputs).setOnes();
    return x;
  }

  // E_q[log p] − KL(q ‖ prior) of N(mean, covariance), by dense algebra.
  double Elbo(const Vector& mean, const Matrix& covariance) {
    const Matrix x = Design(), precision = Inverse(Covariance(prior_));
    expansion_.moments().mean = (x * mean).transpose();
    expansion_.moments().covariance = (x * covariance).cwiseProduct(x).rowwise().sum().transpose();
    const Vector moved = mean - prior_.mean;
    return expansion_.Expect(Expectation::kLinearized) -
           0.5 * ((precision * covariance).trace() - 5 - LogDeterminant(covariance) -
                  LogDeterminant(precision) + moved.dot(precision * moved));
  }

  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  BlockDiagonalGaussian prior_;
};

TEST_F(SplitRegression, IsStationaryInMeansAndCovariancesOfTheBlocks) {
  const BlockDiagonalGaussian q = Fit("bernoulli");
  const Matrix covariance = Covariance(q);
  const Vector by_mean =
      NumericGradient([&](const Vector& m) { return Elbo(m, covariance); }, q.mean);
  EXPECT_LT(by_mean.cwiseAbs().maxCoeff(), 1e-5);
  Index checked = 0;
  for (Index j = 0; j < 5; ++j) {
    for (Index i = j; i < 5; ++i) {
      if ((i < 2) != (j < 2)) continue;
      const auto along = [&](double step) {
        Matrix moved = covariance;
        moved(i, j) += step;
        if (i != j) moved(j, i) += step;
        return Vector::Constant(1, Elbo(q.mean, moved));
      };
      const Vector derivative = NumericDerivative(along, 1e-4);
      EXPECT_LT(std::abs(derivative[0]), 1e-4) << i << "," << j;
      ++checked;
    }
  }
  EXPECT_EQ(checked, 3 + 6);
}

// Gaussian: the exact mean, and the inverses of the blocks of the exact precision.
TEST_F(SplitRegression, HasTheBlocksOfTheExactPrecision) {
  const BlockDiagonalGaussian q = Fit("gaussian");
  const Matrix x = Design(), prior_precision = Inverse(Covariance(prior_));
  const Matrix precision = prior_precision + x.transpose() * x / 0.25;
  const Vector mean = precision.llt().solve(prior_precision * prior_.mean +
                                            x.transpose() * batch_.targets.transpose() / 0.25);
  EXPECT_LT(RelativeError(q.mean, mean), 1e-7);
  EXPECT_LT(RelativeError(Covariance(q), Inverse(BlocksOf(precision, q))), 1e-10);
}

// A model of one layer has one block, and the full posterior to the last bit.
TEST(BlockDiagonalLearner, IsTheFullLearnerOfOneLayer) {
  for (const char* likelihood : {"gaussian", "bernoulli", "categorical", "poisson"}) {
    for (const char* over : {"linearized", "monte_carlo"}) {
      LearnerConfig config = PlainConfig(3, likelihood);
      if (std::string(likelihood) == "gaussian") config.likelihood.options["noise"] = 0.25;
      if (std::string(likelihood) == "categorical") config.target.num_classes = 3;
      config.rule = {"rvga", {{"expectation", std::string(over)}}};
      config.posterior.name = "full";
      const Learner full = *Learner::Create(config);
      config.posterior.name = "block_diagonal";
      const Learner blocks = *Learner::Create(config);
      LearnerState full_state = full.Initial(), block_state = blocks.Initial(), next;
      Scratch scratch;
      for (std::uint64_t t = 0; t < 6; ++t) {
        const Batch batch = BatchFor(likelihood, 3, 1 + 5 * static_cast<Index>(t % 4), t);
        ASSERT_TRUE(full.Update(full_state, batch, scratch, next).ok());
        std::swap(full_state, next);
        ASSERT_TRUE(blocks.Update(block_state, batch, scratch, next).ok());
        std::swap(block_state, next);
      }
      const auto& p = std::get<FullGaussian>(BeliefOf(full_state).posterior);
      const auto& q = std::get<BlockDiagonalGaussian>(BeliefOf(block_state).posterior);
      ASSERT_EQ(q.blocks.size(), 1u);
      EXPECT_EQ(p.mean, q.mean) << likelihood << over;
      EXPECT_EQ(Symmetric(p.covariance), Covariance(q)) << likelihood << over;
      EXPECT_EQ(full_state.evaluation.cumulative.Average()["nll"],
                block_state.evaluation.cumulative.Average()["nll"]);
    }
  }
}

TEST(BlockDiagonalSampler, HasTheMomentsOfThePosterior) {
  const BlockDiagonalGaussian q = RandomBlocks({2, 3});
  const SampledMoments drawn = MomentsOfDraws<BlockDiagonalSampler>(q);
  EXPECT_LT((drawn.mean - q.mean).cwiseAbs().maxCoeff(), 0.03);
  EXPECT_LT(RelativeError(drawn.second, Covariance(q)), 0.02);
}

// The fit's own draws, which the Monte Carlo expectation is over: antithetic, of the new curvature.
TEST_P(BlockDiagonalFit, DrawsHaveTheMomentsOfTheFit) {
  const auto [rows, draws] = GetParam();
  if (!draws) {
    ASSERT_TRUE(fit_.Begin(prior_, 2 * rows, true).ok());
  }
  Matrix covariance = Covariance(prior_);
  RoundAgainstDense(1.0, covariance);
  fit_.Accept();
  constexpr int kPairs = 20000;
  Vector theta, sum = Vector::Zero(prior_.size());
  Matrix second = Matrix::Zero(prior_.size(), prior_.size());
  for (int k = 0; k < kPairs; ++k) {
    for (const bool negate : {false, true}) {
      fit_.Draw(Stream{1, 0, static_cast<std::uint32_t>(k)}, negate, theta);
      const Vector deviation = theta - fit_.mean();
      sum += deviation;
      second += deviation * deviation.transpose() / (2 * kPairs);
    }
  }
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((second - covariance).cwiseAbs().maxCoeff(), 0.05 * covariance.diagonal().maxCoeff());
}

TEST(BlockDiagonalGaussian, IsArchivedAndChecked) {
  const BlockDiagonalGaussian q = RandomBlocks({2, 4});
  BlockDiagonalGaussian read;
  ASSERT_TRUE(FromArchive(ToArchive(q), read).ok());
  EXPECT_EQ(Covariance(read), Covariance(q));
  EXPECT_TRUE(read.IsSound(6));
  EXPECT_FALSE(read.IsSound(7));
  EXPECT_TRUE(read.HasShapeOf(q));
  EXPECT_FALSE(RandomBlocks({4, 2}).HasShapeOf(q));
  EXPECT_FALSE(RandomBlocks({2, 3, 1}).HasShapeOf(q));
  BlockDiagonalGaussian bad = q;
  bad.blocks[1].covariance(2, 2) = 0;
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.blocks.pop_back();
  EXPECT_FALSE(bad.IsSound(6));
}

LearnerConfig NetworkConfig(std::vector<double> hidden) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.model = {"mlp", {{"hidden", std::move(hidden)}}};
  config.posterior.name = "block_diagonal";
  return config;
}

// A state of another shape, as a damaged or forged file could hold, is refused.
TEST(BlockDiagonalLearner, DecodesOnlyBlocksOfItsLayers) {
  const Learner learner = *Learner::Create(NetworkConfig({2}));
  LearnerState state = learner.Initial();
  auto& q = std::get<BlockDiagonalGaussian>(BeliefOf(state).posterior);
  ASSERT_EQ(q.blocks.size(), 2u);
  EXPECT_TRUE(learner.DecodeState(learner.EncodeState(state)).ok());
  std::swap(q.blocks[0], q.blocks[1]);
  ASSERT_TRUE(q.IsSound(learner.num_parameters()));
  EXPECT_EQ(learner.DecodeState(learner.EncodeState(state)).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(BlockDiagonalLearner, RefusesLayersThatDoNotFit) {
  // 1638 units of 5 numbers make 8190 weights of the first layer, 1639 make 8195.
  LearnerConfig config = NetworkConfig({1639});
  config.features[0].width = 4;
  const absl::StatusOr<Learner> wide = Learner::Create(config);
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(FieldOf(wide.status()), "config.model");
  EXPECT_NE(wide.status().message().find("8195"), std::string::npos) << wide.status();
  const absl::StatusOr<Learner> many = Learner::Create(NetworkConfig({80, 80, 80}));
  ASSERT_FALSE(many.ok());  // two layers of 6480 weights: each would fit
  EXPECT_EQ(FieldOf(many.status()), "config.model");
}

}  // namespace
}  // namespace prequel::block_diagonal_test
