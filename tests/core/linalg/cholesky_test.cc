#include "core/linalg/cholesky.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <utility>

#include "core/random/philox.h"

namespace prequel::cholesky_test {
namespace {

// Positive definite; of odd size, so that the last strip of TraceOfInverse is not a whole one.
Matrix Definite(Index size) {
  Matrix root(size, size);
  FillNormal(Stream{1, 2, 3}, root);
  return root * root.transpose() + Matrix::Identity(size, size);
}

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

TEST(Cholesky, SaysWhatTheMatrixItselfWould) {
  const Index size = 37;
  const Matrix s = Definite(size);
  Matrix factor = s, scratch, inverse;
  factor.triangularView<Eigen::StrictlyUpper>().setConstant(1e300);  // is not read
  ASSERT_TRUE(FactorInPlace(factor));
  const Matrix c = factor.triangularView<Eigen::Lower>();
  EXPECT_LT((c * c.transpose() - s).cwiseAbs().maxCoeff(), 1e-12 * s.norm());

  const Eigen::VectorXd values = s.selfadjointView<Eigen::Lower>().eigenvalues();
  EXPECT_NEAR(LogDeterminant(factor), values.array().log().sum(), 1e-11);
  EXPECT_NEAR(TraceOfInverse(factor, scratch), values.cwiseInverse().sum(), 1e-11);
  InverseOfFactor(factor, scratch, inverse);
  EXPECT_LT((Symmetric(inverse) * s - Matrix::Identity(size, size)).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Cholesky, RefusesWhatIsNotPositiveDefiniteOrNotFinite) {
  using Limits = std::numeric_limits<double>;
  Matrix indefinite = Definite(9);
  indefinite(4, 4) = -1;
  EXPECT_FALSE(FactorInPlace(indefinite));
  for (const double bad : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
    for (const auto& [row, col] : {std::pair<Index, Index>{8, 8}, {8, 0}, {5, 2}, {0, 0}}) {
      Matrix s = Definite(9);
      s(row, col) = bad;
      EXPECT_FALSE(FactorInPlace(s)) << bad << " at " << row << "," << col;
    }
  }
}

}  // namespace
}  // namespace prequel::cholesky_test
