// The two forms of the full fit and the diagonal fit against dense algebra.
#include <gtest/gtest.h>

#include <cmath>

#include "core/expansion/expansion.h"
#include "core/posteriors/posterior.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"
#include "tests/core/weighted_jacobian.h"

namespace prequel::local_fit_test {
namespace {

constexpr Index kInputs = 4;

Model MlpModel(Index outputs) {
  Mlp mlp;
  ComponentConfig config{"mlp", {{"hidden", std::vector<double>{6}}}};
  Options options("model", config);
  EXPECT_TRUE(mlp.Configure(options, kInputs, outputs).ok());
  return mlp;
}

Likelihood CategoricalOf(Index classes) {
  Categorical likelihood;
  ComponentConfig config;
  Options options("likelihood", config);
  TargetConfig target;
  target.num_classes = classes;
  EXPECT_TRUE(likelihood.Configure(options, target).ok());
  return likelihood;
}

FullGaussian RandomPosterior(Index size) {
  FullGaussian q;
  q.mean = 0.3 * Normals(size, 1, 11);
  const Matrix root = Normals(size, size + 5, 12);
  q.covariance = root * root.transpose() / static_cast<double>(size);
  return q;
}

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

class FullFit : public testing::TestWithParam<std::tuple<Index, bool>> {
 protected:
  FullFit() : model_(MlpModel(3)), likelihood_(CategoricalOf(3)) {
    batch_ = BatchFor("categorical", kInputs, std::get<0>(GetParam()), 1);
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    prior_ = RandomPosterior(expansion_.num_params());
  }

  void Round(double rho) {
    expansion_.Linearize(fit_.mean());
    fit_.Project(expansion_);
    expansion_.Expect(Expectation::kLinearized);
    fit_.StartCurve();
    fit_.AddCurve(expansion_, 1.0);
    ASSERT_TRUE(fit_.SolveCurve().ok());
    fit_.Move(rho);
  }

  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  FullGaussian prior_;
  LocalFull fit_;
};

TEST_P(FullFit, OneRoundIsTheDenseNaturalGradientStep) {
  const Index size = expansion_.num_params();
  const Index columns = expansion_.curvature_rank() * expansion_.examples();
  ASSERT_TRUE(fit_.Begin(prior_, columns, std::get<1>(GetParam())).ok());
  expansion_.Linearize(fit_.mean());
  fit_.Project(expansion_);

  Matrix jacobian;
  expansion_.Jacobian(jacobian);
  const Matrix covariance = Symmetric(prior_.covariance);
  const Matrix first = jacobian.leftCols(3);
  EXPECT_LT((expansion_.moments().covariance.leftCols(3) - first.transpose() * covariance * first)
                .cwiseAbs()
                .maxCoeff(),
            1e-10);

  expansion_.Expect(Expectation::kLinearized);
  const Matrix root = WeightedJacobian(expansion_);
  const Eigen::Map<const Vector> score(expansion_.local().score.data(),
                                       expansion_.local().score.size());
  const Vector gradient = jacobian * score;
  fit_.StartCurve();
  fit_.AddCurve(expansion_, 1.0);
  ASSERT_TRUE(fit_.SolveCurve().ok());
  fit_.Move(0.5);

  const Matrix identity = Matrix::Identity(size, size);
  const Matrix precision = covariance.llt().solve(identity);
  const Matrix next_precision = precision + root * root.transpose();
  const Matrix next_covariance = next_precision.llt().solve(identity);
  const Vector offset = 0.5 * next_covariance * gradient;
  EXPECT_LT((fit_.mean() - prior_.mean - offset).cwiseAbs().maxCoeff(), 1e-9);

  const double log_ratio = 2 * (next_precision.llt().matrixLLT().diagonal().array().log().sum() -
                                precision.llt().matrixLLT().diagonal().array().log().sum());
  const double kl = 0.5 * ((precision * next_covariance).trace() - static_cast<double>(size) +
                           offset.dot(precision * offset) + log_ratio);
  EXPECT_NEAR(fit_.kl(), kl, 1e-8 * (1 + kl));
  EXPECT_NEAR(fit_.mean_kl(), 0.5 * offset.dot(precision * offset), 1e-9);
}

// The second round is anchored to the prior too: its direction solves Λ' d = gradient − Λ₀ δ with
// the curvature of the new linearisation alone.
TEST_P(FullFit, SecondRoundIsAnchoredToThePrior) {
  const Index columns = expansion_.curvature_rank() * expansion_.examples();
  ASSERT_TRUE(fit_.Begin(prior_, columns, std::get<1>(GetParam())).ok());
  Round(0.5);
  fit_.Accept();
  const Vector offset = fit_.mean() - prior_.mean;
  const Matrix first_root = WeightedJacobian(expansion_);
  Round(1.0);
  const Matrix root = WeightedJacobian(expansion_);
  const Eigen::Map<const Vector> score(expansion_.local().score.data(),
                                       expansion_.local().score.size());
  Matrix jacobian;
  expansion_.Jacobian(jacobian);

  const Matrix identity = Matrix::Identity(prior_.size(), prior_.size());
  const Matrix precision = Symmetric(prior_.covariance).llt().solve(identity);
  const Matrix first_covariance =
      (precision + first_root * first_root.transpose()).llt().solve(identity);
  const Matrix next_precision = precision + root * root.transpose();
  const Matrix last = jacobian.rightCols(3);
  EXPECT_LT(
      (expansion_.moments().covariance.rightCols(3) - last.transpose() * first_covariance * last)
          .cwiseAbs()
          .maxCoeff(),
      1e-9);
  const Vector direction = next_precision.llt().solve(jacobian * score - precision * offset);
  EXPECT_LT((fit_.mean() - prior_.mean - offset - direction).cwiseAbs().maxCoeff(), 1e-8);

  fit_.Accept();
  FullGaussian next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  EXPECT_LT(
      (Symmetric(next.covariance) - next_precision.llt().solve(identity)).cwiseAbs().maxCoeff(),
      1e-9);
}

TEST_P(FullFit, RevertRestoresTheLastAcceptedFit) {
  const Index columns = expansion_.curvature_rank() * expansion_.examples();
  ASSERT_TRUE(fit_.Begin(prior_, columns, std::get<1>(GetParam())).ok());
  Round(1.0);
  fit_.Accept();
  const Vector mean = fit_.mean();
  const double kl = fit_.kl();
  Round(0.7);
  EXPECT_GT((fit_.mean() - mean).cwiseAbs().maxCoeff(), 1e-6);
  fit_.Revert();
  EXPECT_EQ(fit_.mean(), mean);
  EXPECT_EQ(fit_.kl(), kl);
}

// D = 6·4 + 6 + 3·6 + 3 = 51; two curvature columns per example.
INSTANTIATE_TEST_SUITE_P(Forms, FullFit,
                         testing::Values(std::make_tuple(Index{1}, false),
                                         std::make_tuple(Index{9}, false),
                                         std::make_tuple(Index{9}, true),
                                         std::make_tuple(Index{40}, false),
                                         std::make_tuple(Index{40}, true)));

TEST(FullFitDraws, HaveTheMomentsOfTheFit) {
  const Model model = MlpModel(3);
  const Likelihood likelihood = CategoricalOf(3);
  const Batch batch = BatchFor("categorical", kInputs, 12, 1);
  const NoiseLevel noise;
  Expansion expansion;
  expansion.Bind(model, likelihood, batch.inputs, batch.targets, noise);
  const FullGaussian prior = RandomPosterior(expansion.num_params());
  LocalFull fit;
  ASSERT_TRUE(fit.Begin(prior, 24, true).ok());
  expansion.Linearize(fit.mean());
  fit.Project(expansion);
  expansion.Expect(Expectation::kLinearized);
  fit.StartCurve();
  fit.AddCurve(expansion, 1.0);
  ASSERT_TRUE(fit.SolveCurve().ok());
  fit.Move(1.0);
  fit.Accept();

  constexpr int kPairs = 20000;
  Vector theta, sum = Vector::Zero(prior.size());
  Matrix second = Matrix::Zero(prior.size(), prior.size());
  for (int k = 0; k < kPairs; ++k) {
    for (const bool negate : {false, true}) {
      fit.Draw(Stream{1, 0, static_cast<std::uint32_t>(k)}, negate, theta);
      const Vector deviation = theta - fit.mean();
      sum += deviation;
      second += deviation * deviation.transpose() / (2 * kPairs);
    }
  }
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-8);  // antithetic pairs cancel
  FullGaussian q;
  ASSERT_TRUE(fit.Commit(q).ok());
  const Matrix covariance = Symmetric(q.covariance);
  const double scale = covariance.diagonal().maxCoeff();
  EXPECT_LT((second - covariance).cwiseAbs().maxCoeff(), 0.05 * scale);
}

TEST(FullSampler, HasTheMomentsOfThePosterior) {
  const FullGaussian q = RandomPosterior(5);
  const SampledMoments drawn = MomentsOfDraws<FullSampler>(q);
  EXPECT_LT((drawn.mean - q.mean).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((drawn.second - Symmetric(q.covariance)).cwiseAbs().maxCoeff(), 0.03);
}

TEST(DiagonalFit, OneRoundIsTheDiagonalOfTheDenseStep) {
  const Model model = MlpModel(3);
  const Likelihood likelihood = CategoricalOf(3);
  const Batch batch = BatchFor("categorical", kInputs, 12, 1);
  const NoiseLevel noise;
  Expansion expansion;
  expansion.Bind(model, likelihood, batch.inputs, batch.targets, noise);
  const Index size = expansion.num_params();
  DiagonalGaussian prior;
  prior.mean = 0.3 * Normals(size, 1, 5);
  prior.precision = Normals(size, 1, 6).array().square() + 0.5;

  LocalDiagonal fit;
  ASSERT_TRUE(fit.Begin(prior, 0, false).ok());
  expansion.Linearize(fit.mean());
  fit.Project(expansion);
  Matrix jacobian;
  expansion.Jacobian(jacobian);
  const Matrix first = jacobian.leftCols(3);
  const Matrix dense = first.transpose() * prior.precision.cwiseInverse().asDiagonal() * first;
  EXPECT_LT((expansion.moments().covariance.leftCols(3) - dense).cwiseAbs().maxCoeff(), 1e-10);

  expansion.Expect(Expectation::kLinearized);
  const Matrix root = WeightedJacobian(expansion);
  const Eigen::Map<const Vector> score(expansion.local().score.data(),
                                       expansion.local().score.size());
  fit.StartCurve();
  fit.AddCurve(expansion, 1.0);
  ASSERT_TRUE(fit.SolveCurve().ok());
  fit.Move(1.0);
  fit.Accept();
  const Vector precision = prior.precision + root.rowwise().squaredNorm();
  const Vector offset = (jacobian * score).cwiseQuotient(precision);
  EXPECT_LT((fit.mean() - prior.mean - offset).cwiseAbs().maxCoeff(), 1e-10);
  const double kl = 0.5 * (prior.precision.cwiseQuotient(precision).sum() -
                           static_cast<double>(size) + prior.precision.dot(offset.cwiseAbs2()) +
                           (precision.array() / prior.precision.array()).log().sum());
  EXPECT_NEAR(fit.kl(), kl, 1e-9 * (1 + kl));
  DiagonalGaussian next;
  ASSERT_TRUE(fit.Commit(next).ok());
  EXPECT_LT((next.precision - precision).cwiseAbs().maxCoeff(), 1e-10);
}

}  // namespace
}  // namespace prequel::local_fit_test
