// Against the dense matrix.
#include "core/linalg/woodbury.h"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include <limits>

#include "core/linalg/cholesky.h"
#include "tests/core/streams.h"

namespace prequel::woodbury_test {
namespace {

constexpr Index kSize = 7;

struct Dense {
  Vector d;
  Matrix w, precision, covariance;

  explicit Dense(Index rank, double scale = 1) {
    d = Normals(kSize, 1, 1).array().square() + 0.5;
    w = scale * Normals(kSize, rank, 2);
    precision = w * w.transpose();
    precision.diagonal() += d;
    covariance = precision.llt().solve(Matrix::Identity(kSize, kSize));
  }
};

class WoodburyOfRank : public testing::TestWithParam<Index> {};

TEST_P(WoodburyOfRank, IsTheDenseInverse) {
  const Dense dense(GetParam());
  Woodbury woodbury;
  ASSERT_TRUE(woodbury.Factor(dense.d, dense.w).ok());
  const Matrix v = Normals(kSize, 3, 3);
  Matrix solved;
  woodbury.SolveColumns(v, solved);
  EXPECT_LT((solved - dense.covariance * v).cwiseAbs().maxCoeff(), 1e-12);
  Vector one;
  woodbury.Solve(v.col(1), one);
  EXPECT_LT((one - dense.covariance * v.col(1)).cwiseAbs().maxCoeff(), 1e-12);
  const Vector weights = v.col(0).cwiseAbs();
  EXPECT_NEAR(woodbury.TraceOfInverse(weights), weights.dot(dense.covariance.diagonal()), 1e-12);
  EXPECT_NEAR(woodbury.log_det(), LogDeterminant(dense.precision.llt().matrixLLT()), 1e-11);
}

INSTANTIATE_TEST_SUITE_P(Ranks, WoodburyOfRank, testing::Values(1, 3, 7, 20));

TEST(Woodbury, TrailingBlockIsOfTheSchurComplement) {
  const Dense dense(3);
  const Matrix more = Normals(kSize, 2, 4);
  Matrix both(kSize, 5);
  both << dense.w, more;
  Woodbury woodbury;
  ASSERT_TRUE(woodbury.Factor(dense.d, both).ok());
  const Matrix s = Matrix::Identity(2, 2) + more.transpose() * dense.covariance * more;
  const Matrix trailing = woodbury.factor().bottomRightCorner(2, 2);
  EXPECT_NEAR(LogDeterminant(trailing), std::log(s.determinant()), 1e-12);
  Matrix scratch;
  EXPECT_NEAR(TraceOfInverse(trailing, scratch), s.inverse().trace(), 1e-12);
}

// The columns of x = A z have covariance A Aᵀ: exactly, not by sampling.
TEST(Woodbury, DeviationsHaveTheInverseAsCovariance) {
  for (const double scale : {1.0, 1e5}) {
    const Dense dense(3, scale);
    Woodbury woodbury;
    ASSERT_TRUE(woodbury.Factor(dense.d, dense.w).ok());
    Matrix covariance = Matrix::Zero(kSize, kSize);
    Vector x;
    for (Index k = 0; k < kSize + 3; ++k) {
      woodbury.Deviate(Vector::Unit(kSize + 3, k), x);
      covariance += x * x.transpose();
    }
    EXPECT_LT((dense.precision * covariance - Matrix::Identity(kSize, kSize)).norm(),
              1e-12 * scale * scale);
    // Directions that W says nothing of keep their variance whatever its scale.
    EXPECT_NEAR(covariance.trace(), woodbury.TraceOfInverse(Vector::Ones(kSize)), 1e-9);
  }
}

TEST(Woodbury, RefusesWhatIsNotFinite) {
  Dense dense(2);
  Woodbury woodbury;
  dense.w(3, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(woodbury.Factor(dense.d, dense.w).ok());
  dense.w(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(woodbury.Factor(dense.d, dense.w).ok());
  dense.w(3, 1) = 0;
  dense.d[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(woodbury.Factor(dense.d, dense.w).ok());
}

}  // namespace
}  // namespace prequel::woodbury_test
