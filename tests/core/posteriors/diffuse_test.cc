// Drift of every family that has a form for it, against dense algebra:
//   P ← diag(√k) P diag(√k) + diag(a)
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/posteriors/posterior.h"
#include "tests/core/streams.h"

namespace prequel::diffuse_test {
namespace {

constexpr Index kSize = 9;

Matrix RandomCovariance(Index size, std::uint64_t seed) {
  const Matrix root = Normals(size, size + 2, seed);
  return root * root.transpose();
}

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

// Makes a random one of D = 9 weights, and says its covariance.
template <class Q>
struct Dense;

template <>
struct Dense<FullGaussian> {
  static FullGaussian Random() { return {{}, Normals(kSize, 1, 1), RandomCovariance(kSize, 2)}; }
  static Matrix Covariance(const FullGaussian& q) { return Symmetric(q.covariance); }
};

template <>
struct Dense<DiagonalGaussian> {
  static DiagonalGaussian Random() {
    return {{}, Normals(kSize, 1, 1), Normals(kSize, 1, 2).cwiseAbs2().array() + 0.1};
  }
  static Matrix Covariance(const DiagonalGaussian& q) {
    return q.precision.cwiseInverse().asDiagonal();
  }
};

// Directions that are known a million times better than others as well.
template <>
struct Dense<LowRankGaussian> {
  static LowRankGaussian Random() {
    Matrix factor = Normals(kSize, 3, 3);
    factor.col(0) *= 1e3;
    return {{}, Normals(kSize, 1, 1), Normals(kSize, 1, 2).cwiseAbs2().array() + 0.1, factor};
  }
  static Matrix Covariance(const LowRankGaussian& q) {
    const Matrix precision = q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
    return precision.llt().solve(Matrix::Identity(kSize, kSize));
  }
};

template <>
struct Dense<BlockDiagonalGaussian> {
  static BlockDiagonalGaussian Random() {
    return {{}, Normals(kSize, 1, 1), {{RandomCovariance(4, 2)}, {RandomCovariance(5, 3)}}};
  }
  static Matrix Covariance(const BlockDiagonalGaussian& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    covariance.topLeftCorner(4, 4) = Symmetric(q.blocks[0].covariance);
    covariance.bottomRightCorner(5, 5) = Symmetric(q.blocks[1].covariance);
    return covariance;
  }
};

// Two units of three weights, and one of three.
template <>
struct Dense<PerUnitGaussian> {
  static PerUnitGaussian Random() {
    PerUnitGaussian q;
    q.layers = {{0, 2, 2, true}, {6, 2, 1, true}};
    q.mean = Normals(kSize, 1, 1);
    for (const std::uint64_t seed : {2, 3, 4}) q.units.push_back({RandomCovariance(3, seed)});
    return q;
  }
  static Matrix Covariance(const PerUnitGaussian& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    const std::vector<std::vector<Index>> weights = {{0, 2, 4}, {1, 3, 5}, {6, 7, 8}};
    for (std::size_t u = 0; u < weights.size(); ++u) {
      covariance(weights[u], weights[u]) = Symmetric(q.units[u].covariance);
    }
    return covariance;
  }
};

template <class Q>
struct DenseSubset {
  static Q Random() {
    Q q;
    q.Assign(Normals(kSize, 1, 1), Vector::Ones(kSize), {1, 4, 5, 8});
    q.part.covariance = RandomCovariance(4, 2);
    return q;
  }
  // Of the weights in S; the others have none to drift.
  static Matrix Covariance(const Q& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    covariance(q.subset, q.subset) = Symmetric(q.part.covariance);
    return covariance;
  }
};
template <>
struct Dense<LastLayerGaussian> : DenseSubset<LastLayerGaussian> {};
template <>
struct Dense<SubnetworkGaussian> : DenseSubset<SubnetworkGaussian> {};

template <>
struct Dense<LowRankHiddenGaussian> {
  static LowRankHiddenGaussian Random() {
    LowRankHiddenGaussian q;
    q.mean = Normals(kSize, 1, 1);
    q.floor = Normals(6, 1, 2).cwiseAbs2();
    q.factor = Normals(6, 2, 3);
    q.covariance = RandomCovariance(3, 4);
    return q;
  }
  static Matrix Covariance(const LowRankHiddenGaussian& q) {
    Matrix covariance = Matrix::Zero(kSize, kSize);
    covariance.topLeftCorner(6, 6) = q.factor * q.factor.transpose() + Matrix(q.floor.asDiagonal());
    covariance.bottomRightCorner(3, 3) = Symmetric(q.covariance);
    return covariance;
  }
};

template <class Q>
void CheckDrift() {
  SCOPED_TRACE(std::string(Q::kName));
  const Q before = Dense<Q>::Random();
  const Matrix p = Dense<Q>::Covariance(before);
  const Vector keep = 1 / (1 + Normals(kSize, 1, 7).cwiseAbs2().array());
  const Vector added = Normals(kSize, 1, 8).cwiseAbs2();
  Matrix scratch;
  for (const auto& [k, a] : {std::pair{keep, added}, std::pair{Vector(Vector::Ones(kSize)), added},
                             std::pair{keep, Vector(Vector::Zero(kSize))}}) {
    Q q = before;
    q.Diffuse(k, a, scratch);
    const Vector root = k.cwiseSqrt();
    Matrix want = root.asDiagonal() * p * root.asDiagonal();
    for (Index j = 0; j < kSize; ++j) want(j, j) += p(j, j) > 0 ? a[j] : 0;
    EXPECT_LT((Dense<Q>::Covariance(q) - want).cwiseAbs().maxCoeff(),
              1e-9 * want.cwiseAbs().maxCoeff());
    EXPECT_EQ(q.mean, before.mean);
    EXPECT_TRUE(q.IsFinite());
  }
  Q still = before;
  still.Diffuse(Vector::Ones(kSize), Vector::Zero(kSize), scratch);
  EXPECT_LT((Dense<Q>::Covariance(still) - p).cwiseAbs().maxCoeff(), 1e-9 * p.norm());
}

template <class... Qs>
void CheckAll(const std::variant<Qs...>*) {
  const auto check = []<class Q>(const Q*) {
    if constexpr (Diffusive<Q>) CheckDrift<Q>();
  };
  (check(static_cast<const Qs*>(nullptr)), ...);
}

TEST(Diffuse, AddsToTheCovariance) { CheckAll(static_cast<const Posterior*>(nullptr)); }

}  // namespace
}  // namespace prequel::diffuse_test
