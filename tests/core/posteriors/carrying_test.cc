// Posteriors in new units, beside the algebra written out with dense matrices.
#include "core/posteriors/carrying.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <utility>
#include <variant>
#include <vector>

#include "core/posteriors/posterior.h"
#include "core/random/philox.h"

namespace prequel::carrying_test {
namespace {

// Of a linear model of three inputs and two outputs, or a network of the same.
struct Move {
  Layers layers;
  InputsChange inputs;
  OutputsChange outputs;
  Vector prior_mean, prior_precision;

  Index size() const { return NumParams(layers); }
  Carrying By(bool stands, bool settled = true) const {
    return {.layers = layers,
            .inputs = inputs,
            .outputs = outputs,
            .prior_mean = prior_mean,
            .prior_precision = prior_precision,
            .stands = stands,
            .settled = settled};
  }
  // T, of deviations, and c.
  Matrix Turned() const {
    Matrix t = Matrix::Identity(size(), size());
    for (Index j = 0; j < size(); ++j) By(true).OfAll().Turn(t.col(j));
    return t;
  }
  Vector Shift() const {
    Vector c = Vector::Zero(size());
    By(true).OfAll().Apply(c);
    return c;
  }
};

Move MakeMove(bool network = false) {
  Move move;
  move.layers = {{.offset = 0, .inputs = 3, .outputs = 2}};
  if (network) move.layers.push_back({.offset = 8, .inputs = 2, .outputs = 2});
  move.inputs = {.slope = Eigen::Vector3d(1.5, 0.25, 2),
                 .offset = Eigen::Vector3d(0.5, -1, 0.125),
                 .indicator = {-1, -1, -1}};
  move.outputs = {.gain = Eigen::Vector2d(0.5, 3),
                  .shift = Eigen::Vector2d(-1, 2),
                  .spread = Eigen::Vector2d(0.5, 3)};
  move.prior_mean.resize(move.size());
  FillNormal({1, 0, 0}, move.prior_mean);
  move.prior_precision = Vector::LinSpaced(move.size(), 0.5, 2);
  return move;
}

// What some rows have told, a precision of rank `rows`, and the mean that they lead to.
std::pair<Matrix, Vector> Told(const Move& move, Index rows) {
  Matrix columns(move.size(), rows);
  FillNormal({2, 0, 0}, columns);
  Vector mean(move.size());
  FillNormal({3, 0, 0}, mean);
  return {columns * columns.transpose(), mean};
}

TEST(Carrying, ADensePosteriorIsWhatTheRowsToldAndThePriorOfTheNewUnits) {
  for (const bool network : {false, true}) {
    const Move move = MakeMove(network);
    const auto [told, mean] = Told(move, 5);
    const Matrix prior = move.prior_precision.asDiagonal();
    FullGaussian q;
    q.mean = mean;
    q.covariance = (told + prior).inverse();
    // S' and S' θ̂' with θ̂' = T θ̂ + c, of S θ̂ = Λ m − Λ₀ m₀.
    const Matrix back = move.Turned().inverse();
    const Matrix told_anew = back.transpose() * told * back;
    const Vector said = (told + prior) * mean - prior * move.prior_mean;
    const Matrix expected = (told_anew + prior).inverse();
    const Vector expected_mean =
        expected * (back.transpose() * said + told_anew * move.Shift() + prior * move.prior_mean);
    CarryingScratch scratch;
    ASSERT_TRUE(q.Carry(move.By(true), scratch).ok());
    const Matrix carried = q.covariance.selfadjointView<Eigen::Lower>();
    EXPECT_LT((carried - expected).norm(), 1e-12 * expected.norm());
    EXPECT_LT((q.mean - expected_mean).norm(), 1e-12 * expected_mean.norm());
  }
}

TEST(Carrying, WhatRowsHaveNotToldIsThePriorOfTheNewUnits) {
  const Move move = MakeMove(true);
  CarryingScratch scratch;
  const Vector variances = move.prior_precision.cwiseInverse();
  FullGaussian q = FullGaussian::FromDiagonal(move.prior_mean, variances);
  ASSERT_TRUE(q.Carry(move.By(true), scratch).ok());
  EXPECT_LT((q.mean - move.prior_mean).norm(), 1e-13);
  EXPECT_LT((q.covariance.diagonal() - variances).norm(), 1e-13);
  DiagonalGaussian d = DiagonalGaussian::FromDiagonal(move.prior_mean, variances);
  ASSERT_TRUE(d.Carry(move.By(true), scratch).ok());
  EXPECT_LT((d.mean - move.prior_mean).norm(), 1e-13);
  EXPECT_LT((d.precision - move.prior_precision).norm(), 1e-13);
}

// The mean of an input wanders off, while what was known of a level has been forgotten: the weights
// must not be told of a level far from the prior's, move by move.
TEST(Carrying, ALevelThatDriftedTellsTheWeightsNothing) {
  Move move = MakeMove();
  move.prior_mean.setZero();
  move.prior_precision.setOnes();
  move.inputs.slope.setConstant(1.1);
  move.inputs.offset.setConstant(0.1);
  move.outputs = {.gain = Vector::Ones(2), .shift = Vector::Zero(2), .spread = Vector::Ones(2)};
  FullGaussian q = FullGaussian::FromDiagonal(move.prior_mean, Vector::Ones(move.size()));
  q.mean.tail(2) << 5, -3;
  const Vector before = q.mean;
  CarryingScratch scratch;
  for (int moves = 0; moves < 50; ++moves) {
    ASSERT_TRUE(q.Carry(move.By(false), scratch).ok());
    EXPECT_LT((q.mean - before).norm(), 1e-10);
  }
  // Of a belief that stands, weights and level have one prior, and rows have told of both.
  ASSERT_TRUE(q.Carry(move.By(true), scratch).ok());
  EXPECT_GT((q.mean - before).norm(), 0.1);
}

// A belief that has drifted knows less than the prior of some weights.
TEST(Carrying, ABeliefThatDriftedStaysPositiveDefinite) {
  const Move move = MakeMove();
  for (const double grown : {0.0, 0.1, 1.0, 100.0}) {
    const auto [told, mean] = Told(move, 3);
    FullGaussian q;
    q.mean = mean;
    q.covariance = (told + Matrix(move.prior_precision.asDiagonal())).inverse();
    q.covariance.diagonal().array() += grown;
    const Matrix before = q.covariance;
    CarryingScratch scratch;
    ASSERT_TRUE(q.Carry(move.By(false), scratch).ok());
    const Matrix carried = q.covariance.selfadjointView<Eigen::Lower>();
    // No surer than with all of the prior, no less sure than the same belief in either units.
    const Matrix turned = move.Turned() * before * move.Turned().transpose();
    const Matrix bound = turned.inverse() + Matrix(move.prior_precision.asDiagonal());
    const Eigen::SelfAdjointEigenSolver<Matrix> above(bound - carried.inverse());
    EXPECT_GT(above.eigenvalues().minCoeff(), -1e-9 * bound.norm()) << grown;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(carried).eigenvalues().minCoeff(), 0) << grown;
  }
}

using Precise = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

// What rows told in new units, beside the prior Λ₁, in long double: (T⁻ᵀ R Rᵀ T⁻¹ + Λ₁)⁻¹.
Matrix CarriedPrecisely(const Matrix& root, const Vector& after, const Matrix& turned) {
  const Precise told = (root * root.transpose()).cast<long double>();
  const Precise back = turned.cast<long double>().inverse();
  const Precise precision =
      back.transpose() * told * back + Precise(after.cast<long double>().asDiagonal());
  return precision.inverse().cast<double>();
}

// The largest difference of two covariances, in units of the deviations.
double Apart(const Matrix& a, const Matrix& b) {
  const Vector widths = b.diagonal().cwiseSqrt().cwiseInverse();
  return (widths.asDiagonal() * (a - b) * widths.asDiagonal()).cwiseAbs().maxCoeff();
}

// An input first met as a large number: its scale and its mean move by a factor of 10⁵ and more,
// when hardly anything was told. What the prior says in the old units must go, to the last of it.
TEST(Carrying, UnitsThatMoveFarLeaveNothingOfTheOldPrior) {
  for (const double far : {1e2, 1e4, 1e6}) {
    Move move = MakeMove();
    move.inputs.slope = Eigen::Vector3d(1 / far, far, 1);
    move.inputs.offset = Eigen::Vector3d(far, -0.5, far / 3);
    const auto [told, mean] = Told(move, 2);
    Matrix root(move.size(), 2);
    FillNormal({2, 0, 0}, root);
    const Matrix prior = move.prior_precision.asDiagonal();
    FullGaussian q;
    q.mean = mean;
    q.covariance = (told + prior).inverse();
    CarryingScratch scratch;
    ASSERT_TRUE(q.Carry(move.By(true), scratch).ok());
    const Matrix carried = q.covariance.selfadjointView<Eigen::Lower>();
    const Matrix expected = CarriedPrecisely(root, move.prior_precision, move.Turned());
    EXPECT_LT(Apart(carried, expected), 1e-4) << far;
  }
}

// Of a belief that is less sure than its prior, for whatever reason, no more of the prior can be
// taken away than is there.
TEST(Carrying, APriorThatIsNotThereIsNotTakenAway) {
  const Move move = MakeMove();
  for (const double factor : {1.0 + 1e-12, 1.5, 100.0}) {
    Matrix covariance = factor * Matrix(move.prior_precision.cwiseInverse().asDiagonal());
    Vector mean = move.prior_mean;
    BlockScratch scratch;
    const Vector wider = move.prior_precision / 1000;
    ASSERT_TRUE(ChangeDensePrior(move.prior_mean, move.prior_precision, wider, true, mean,
                                 covariance, scratch)
                    .ok());
    const Matrix changed = covariance.selfadjointView<Eigen::Lower>();
    const Matrix most = wider.cwiseInverse().asDiagonal();
    EXPECT_LT((changed.diagonal() - factor * most.diagonal()).maxCoeff(), 1e-6 * most.norm())
        << factor;
    EXPECT_GT(Eigen::SelfAdjointEigenSolver<Matrix>(changed).eigenvalues().minCoeff(), 0);
    EXPECT_LT((mean - move.prior_mean).norm(), 1e-12);
  }
}

TEST(Carrying, APriorThatWidensFarLeavesWhatRowsTold) {
  const Move move = MakeMove();
  const auto [told, mean] = Told(move, 3);
  Matrix root(move.size(), 3);
  FillNormal({2, 0, 0}, root);
  for (const double wider : {1e-3, 1e-7, 1e7}) {
    Matrix covariance = (told + Matrix(move.prior_precision.asDiagonal())).inverse();
    Vector moved = mean;
    BlockScratch scratch;
    const Vector after = move.prior_precision * wider;
    ASSERT_TRUE(ChangeDensePrior(move.prior_mean, move.prior_precision, after, true, moved,
                                 covariance, scratch)
                    .ok());
    const Matrix changed = covariance.selfadjointView<Eigen::Lower>();
    const Matrix expected =
        CarriedPrecisely(root, after, Matrix::Identity(move.size(), move.size()));
    EXPECT_LT(Apart(changed, expected), 1e-6) << wider;
  }
}

// The mean of every family that can hold what it is carried to: with plenty told, T m + c.
template <class Q>
void ExpectCarriedMean(const Q& prototype, const Move& move) {
  Q q = prototype.FromDiagonal(move.prior_mean, Vector::Constant(move.size(), 1e-9));
  Vector mean(move.size());
  FillNormal({4, 0, 0}, mean);
  q.mean = mean;
  CarryingScratch scratch;
  ASSERT_TRUE(q.Carry(move.By(true), scratch).ok()) << Q::kName;
  const Vector expected = move.Turned() * mean + move.Shift();
  EXPECT_LT((q.mean - expected).norm(), 1e-6 * expected.norm()) << Q::kName;
}

TEST(Carrying, EveryFamilySaysTheSameOfItsMean) {
  for (const bool network : {false, true}) {
    Move move = MakeMove(network);
    move.prior_precision.setOnes();
    const auto made = [&]<class Q>(Q q) {
      ComponentConfig config;
      if constexpr (std::is_same_v<Q, LowRankGaussian> ||
                    std::is_same_v<Q, LowRankHiddenGaussian>) {
        config.options["rank"] = network || std::is_same_v<Q, LowRankGaussian> ? 2.0 : 0.0;
      }
      Options options("posterior", config);
      EXPECT_TRUE(q.Configure(options, move.layers).ok()) << Q::kName;
      return q;
    };
    ExpectCarriedMean(made(FullGaussian()), move);
    ExpectCarriedMean(made(DiagonalGaussian()), move);
    ExpectCarriedMean(made(BlockDiagonalGaussian()), move);
    ExpectCarriedMean(made(PerUnitGaussian()), move);
    ExpectCarriedMean(made(LowRankGaussian()), move);
    ExpectCarriedMean(made(LowRankHiddenGaussian()), move);
    ExpectCarriedMean(made(SubnetworkGaussian()), move);
    ExpectCarriedMean(made(PointMass()), move);
    if (!network) ExpectCarriedMean(made(LastLayerGaussian()), move);
  }
}

// P⁻¹ = D ⊗ I + A ⊗ S of a layer, where only what is Kronecker's is carried.
TEST(Carrying, KroneckerFactorsAreCarriedWhole) {
  Move move = MakeMove();
  move.prior_precision << 1, 1, 2, 2, 3, 3, 0.5, 0.5;  // alike for the weights of one input
  Matrix a(4, 4), s(2, 2);
  FillNormal({5, 0, 0}, a);
  FillNormal({5, 0, 1}, s);
  a = a * a.transpose();
  s = s * s.transpose();
  Vector d(4);
  d << 1, 2, 3, 0.5;
  KroneckerGaussian q;
  q.mean.resize(move.size());
  FillNormal({5, 0, 2}, q.mean);
  q.layers.resize(1);
  ASSERT_TRUE(q.layers[0].Assign(d, a, s).ok());
  const auto precision = [](const KroneckerGaussian& of) {
    KroneckerCovariance covariance;
    of.layers[0].CovarianceTo(covariance);
    Matrix dense(8, 8), scratch, out(2, 4);
    for (Index j = 0; j < 8; ++j) {
      const Vector unit = Vector::Unit(8, j);
      covariance.Multiply(Eigen::Map<const Matrix>(unit.data(), 2, 4), scratch, out);
      dense.col(j) = Eigen::Map<const Vector>(out.data(), 8);
    }
    return Matrix(dense.inverse());
  };
  const Matrix prior = move.prior_precision.asDiagonal();
  const Matrix told = precision(q) - prior, back = move.Turned().inverse();
  const Vector said = precision(q) * q.mean - prior * move.prior_mean;
  const Matrix told_anew = back.transpose() * told * back;
  CarryingScratch scratch;
  ASSERT_TRUE(q.Carry(move.By(true), scratch).ok());
  EXPECT_LT((precision(q) - told_anew - prior).norm(), 1e-9 * told_anew.norm());
  const Vector mean =
      (told_anew + prior)
          .llt()
          .solve(back.transpose() * said + told_anew * move.Shift() + prior * move.prior_mean);
  EXPECT_LT((q.mean - mean).norm(), 1e-9 * mean.norm());
}

}  // namespace
}  // namespace prequel::carrying_test
