// The posterior in Kronecker form against the dense one with the same precision.
#include "core/posteriors/kronecker_gaussian.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/archive/archive.h"
#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "tests/core/dense_kronecker.h"
#include "tests/core/finite_difference.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"

namespace prequel::kronecker_gaussian_test {
namespace {

// W: 3 × 4 with biases, then W: 2 × 3 without.
const Layers kLayers = {{0, 4, 3, true}, {15, 3, 2, false}};
constexpr Index kParams = 21;

Matrix Inverse(const Matrix& a) { return a.llt().solve(Matrix::Identity(a.rows(), a.cols())); }
double LogDeterminant(const Matrix& a) {
  return 2 * a.llt().matrixLLT().diagonal().array().log().sum();
}

KroneckerGaussian Prototype() {
  KroneckerGaussian q;
  const ComponentConfig config;
  Options options("config.posterior", config);
  EXPECT_TRUE(q.Configure(options, kLayers).ok());
  return q;
}

// And its precision, of the definition.
struct Random {
  KroneckerGaussian q;
  Matrix precision;
};
Random RandomKronecker(std::uint64_t seed) {
  Random out{Prototype(), {}};
  std::vector<Matrix> dense;
  for (std::size_t l = 0; l < kLayers.size(); ++l) {
    const Index c = kLayers[l].columns(), o = kLayers[l].outputs;
    const Vector d = Normals(c, 1, seed, l).array().square() + 0.3;
    const Matrix a_root = Normals(c, 2, seed + 1, l), s_root = Normals(o, o + 2, seed + 2, l);
    const Matrix a = a_root * a_root.transpose(), s = s_root * s_root.transpose();
    EXPECT_TRUE(out.q.layers[l]
                    .Assign(d, Matrix(a.triangularView<Eigen::Lower>()),
                            Matrix(s.triangularView<Eigen::Lower>()))
                    .ok());
    dense.push_back(Kron(d.asDiagonal(), Matrix::Identity(o, o)) + Kron(a, s));
  }
  out.q.mean = Normals(kParams, 1, seed + 3);
  out.precision = BlockDiagonal(dense);
  return out;
}

// D ⊗ I + A ⊗ S is inverted without approximation, here with an A of rank 2.
TEST(KroneckerGaussian, IsTheInverseOfItsPrecision) {
  const Random random = RandomKronecker(1);
  EXPECT_TRUE(random.q.IsSound(kParams));
  EXPECT_LT(RelativeError(Covariance(random.q), Inverse(random.precision)), 1e-12);
}

TEST(KroneckerGaussian, HoldsADiagonalPriorOfColumns) {
  Vector variances(kParams);
  variances << Vector::LinSpaced(5, 1, 2).replicate(1, 3).transpose().reshaped(),
      Vector::Constant(6, 0.5);
  const KroneckerGaussian prototype = Prototype();
  ASSERT_TRUE(prototype.CheckPrior(variances).ok());
  const KroneckerGaussian q = prototype.FromDiagonal(Vector::Ones(kParams), variances);
  EXPECT_TRUE(q.IsSound(kParams));
  EXPECT_TRUE(q.HasShapeOf(prototype));
  EXPECT_LT(RelativeError(Covariance(q), Matrix(variances.asDiagonal())), 1e-15);
  for (const Index j : {1, 14, 20}) {
    Vector uneven = variances;
    uneven[j] *= 1.5;
    EXPECT_FALSE(prototype.CheckPrior(uneven).ok()) << j;
  }
}

TEST(KroneckerGaussian, DivergesAsTheDenseOne) {
  const Random p = RandomKronecker(1), q = RandomKronecker(5);
  KroneckerDivergence divergence;
  EXPECT_NEAR(divergence.Kl(q.q, q.q), 0, 1e-12);
  const Vector moved = q.q.mean - p.q.mean;
  const double dense = 0.5 * ((p.precision * Inverse(q.precision)).trace() -
                              static_cast<double>(kParams) + LogDeterminant(q.precision) -
                              LogDeterminant(p.precision) + moved.dot(p.precision * moved));
  EXPECT_NEAR(divergence.Kl(q.q, p.q), dense, 1e-10 * dense);
  KroneckerGaussian elsewhere = p.q;  // with the same precision
  elsewhere.mean = q.q.mean;
  EXPECT_NEAR(divergence.Kl(elsewhere, p.q), 0.5 * moved.dot(p.precision * moved), 1e-10 * dense);
}

TEST(KroneckerGaussian, RefusesFactorsThatAreNotFinite) {
  KroneckerGaussian::Layer layer;
  Matrix a = Matrix::Identity(3, 3);
  const Matrix s = Matrix::Identity(2, 2);
  EXPECT_TRUE(layer.Assign(Vector::Ones(3), a, s).ok());
  a(2, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(layer.Assign(Vector::Ones(3), a, s).code(), absl::StatusCode::kInternal);
}

TEST(KroneckerSampler, HasTheMomentsOfThePosterior) {
  const KroneckerGaussian q = RandomKronecker(1).q;
  const SampledMoments drawn = MomentsOfDraws<KroneckerSampler>(q);
  EXPECT_LT((drawn.mean - q.mean).cwiseAbs().maxCoeff(), 0.02);
  const Matrix covariance = Covariance(q);
  EXPECT_LT((drawn.second - covariance).cwiseAbs().maxCoeff(),
            0.02 * covariance.diagonal().maxCoeff());
}

TEST(KroneckerGaussian, IsArchivedAndChecked) {
  const KroneckerGaussian q = RandomKronecker(1).q;
  KroneckerGaussian read;
  ASSERT_TRUE(FromArchive(ToArchive(q), read).ok());
  EXPECT_EQ(Covariance(read), Covariance(q));
  EXPECT_EQ(read.mean, q.mean);
  EXPECT_TRUE(read.IsSound(kParams));
  EXPECT_FALSE(read.IsSound(kParams + 1));
  KroneckerGaussian bad = q;
  bad.layers[0].prior[1] = 0;
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.layers[1].input_values[0] = -1e-9;
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.layers[1].output_basis(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.layers[0].output_values.resize(2);
  bad.layers[0].output_values.setOnes();
  EXPECT_FALSE(bad.IsSound(kParams));
  bad = q;
  bad.layers[0].input_basis.resize(5, 4);
  bad.layers[0].input_basis.setZero();
  EXPECT_FALSE(bad.IsSound(kParams));
  bad = q;
  std::swap(bad.layers[0], bad.layers[1]);
  EXPECT_TRUE(bad.IsSound(kParams));
  EXPECT_FALSE(bad.HasShapeOf(q));
}

LearnerConfig KroneckerConfig(std::vector<double> hidden) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.model = {"mlp", {{"hidden", std::move(hidden)}}};
  config.posterior.name = "kronecker";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  return config;
}

TEST(KroneckerLearner, RefusesLayersThatDoNotFit) {
  const absl::StatusOr<Learner> wide = Learner::Create(KroneckerConfig({2049}));
  ASSERT_FALSE(wide.ok());
  EXPECT_EQ(FieldOf(wide.status()), "config.model");
  const absl::StatusOr<Learner> many =
      Learner::Create(KroneckerConfig(std::vector<double>(9, 2000)));
  ASSERT_FALSE(many.ok());  // seventeen factors of 2000 or 2001 rows
  EXPECT_EQ(FieldOf(many.status()), "config.model");
  EXPECT_TRUE(Learner::Create(KroneckerConfig({100, 100})).ok());
}

}  // namespace
}  // namespace prequel::kronecker_gaussian_test
