// KL divergences between posteriors of one family against the dense formula.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <limits>

#include "core/posteriors/posterior.h"
#include "tests/core/streams.h"

namespace prequel::divergence_test {
namespace {

constexpr Index kSize = 7;

template <class Q>
struct Family;

template <>
struct Family<FullGaussian> {
  static FullGaussian Random(std::uint64_t seed) {
    const Matrix root = Normals(kSize, kSize + 3, seed);
    return {{}, Normals(kSize, 1, seed + 1), root * root.transpose()};
  }
  static Matrix Precision(const FullGaussian& q) {
    return Matrix(q.covariance.selfadjointView<Eigen::Lower>()).inverse();
  }
  static void Break(FullGaussian& q) { q.covariance(1, 1) = -1; }
};

template <>
struct Family<DiagonalGaussian> {
  static DiagonalGaussian Random(std::uint64_t seed) {
    return {{}, Normals(kSize, 1, seed), Normals(kSize, 1, seed + 1).cwiseAbs2().array() + 0.1};
  }
  static Matrix Precision(const DiagonalGaussian& q) { return q.precision.asDiagonal(); }
  static void Break(DiagonalGaussian& q) { q.precision[1] = -1; }
};

template <>
struct Family<LowRankGaussian> {
  static LowRankGaussian Random(std::uint64_t seed) {
    return {{},
            Normals(kSize, 1, seed),
            Normals(kSize, 1, seed + 1).cwiseAbs2().array() + 0.1,
            Normals(kSize, 1 + static_cast<Index>(seed % 3), seed + 2)};
  }
  static Matrix Precision(const LowRankGaussian& q) {
    return Matrix(q.diagonal.asDiagonal()) + q.factor * q.factor.transpose();
  }
  static void Break(LowRankGaussian& q) {
    q.diagonal[1] = std::numeric_limits<double>::quiet_NaN();
  }
};

// Blocks of 3 and 4 weights.
template <>
struct Family<BlockDiagonalGaussian> {
  static BlockDiagonalGaussian Random(std::uint64_t seed) {
    BlockDiagonalGaussian q{{}, Normals(kSize, 1, seed), {}};
    for (const Index size : {3, 4}) {
      const Matrix root = Normals(size, size + 3, seed + static_cast<std::uint64_t>(size));
      q.blocks.push_back({root * root.transpose()});
    }
    return q;
  }
  static Matrix Precision(const BlockDiagonalGaussian& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    covariance.topLeftCorner(3, 3) = q.blocks[0].covariance.selfadjointView<Eigen::Lower>();
    covariance.bottomRightCorner(4, 4) = q.blocks[1].covariance.selfadjointView<Eigen::Lower>();
    return covariance.inverse();
  }
  static void Break(BlockDiagonalGaussian& q) { q.blocks[1].covariance(1, 1) = -1; }
};

// A layer of two units with two weights each, and one unit of three.
template <>
struct Family<PerUnitGaussian> {
  static PerUnitGaussian Random(std::uint64_t seed) {
    PerUnitGaussian q;
    q.layers = {{0, 1, 2, true}, {4, 2, 1, true}};
    q.mean = Normals(kSize, 1, seed);
    for (const Index size : {2, 2, 3}) {
      const Matrix root = Normals(size, size + 3, seed + q.units.size());
      q.units.push_back({root * root.transpose()});
    }
    return q;
  }
  static Matrix Precision(const PerUnitGaussian& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    const std::vector<std::vector<Index>> weights = {{0, 2}, {1, 3}, {4, 5, 6}};
    for (std::size_t u = 0; u < weights.size(); ++u) {
      covariance(weights[u], weights[u]) =
          Matrix(q.units[u].covariance.selfadjointView<Eigen::Lower>());
    }
    return covariance.inverse();
  }
  static void Break(PerUnitGaussian& q) { q.units[2].covariance(1, 1) = -1; }
};

template <class Q>
class Divergence : public testing::Test {};
using Families = testing::Types<FullGaussian, DiagonalGaussian, LowRankGaussian,
                                BlockDiagonalGaussian, PerUnitGaussian>;
TYPED_TEST_SUITE(Divergence, Families);

TYPED_TEST(Divergence, IsThatOfTheDenseGaussians) {
  using F = Family<TypeParam>;
  typename TypeParam::Divergence divergence;
  for (const std::uint64_t seed : {10u, 20u, 31u}) {
    const TypeParam q = F::Random(seed), p = F::Random(seed + 5);
    const Matrix ratio = F::Precision(p) * F::Precision(q).inverse();
    const Vector moved = q.mean - p.mean;
    const double dense = 0.5 * (ratio.trace() - kSize - std::log(ratio.determinant()) +
                                moved.dot(F::Precision(p) * moved));
    EXPECT_NEAR(divergence.Kl(q, p), dense, 1e-9 * std::max(1.0, dense));
    EXPECT_NEAR(divergence.Kl(q, q), 0, 1e-10);
  }
}

TYPED_TEST(Divergence, OfNoGaussianIsNotFinite) {
  using F = Family<TypeParam>;
  const TypeParam q = F::Random(10);
  TypeParam broken = q;
  F::Break(broken);
  typename TypeParam::Divergence divergence;
  EXPECT_FALSE(std::isfinite(divergence.Kl(broken, q)));
  EXPECT_FALSE(std::isfinite(divergence.Kl(q, broken)));
}

}  // namespace
}  // namespace prequel::divergence_test
