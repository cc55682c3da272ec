// Against dense eigenpairs and the divergence that factor analysis lowers.
#include "core/posteriors/compression.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "core/linalg/cholesky.h"
#include "tests/core/streams.h"

namespace prequel::compression_test {
namespace {

constexpr Index kSize = 9;
using Kind = Compression::Kind;

// KL(N(0, S) ‖ N(0, fitted)).
double Divergence(const Matrix& s, const Matrix& fitted) {
  return 0.5 * (fitted.llt().solve(s).trace() - static_cast<double>(s.rows()) +
                LogDeterminant(fitted.llt().matrixLLT()) - LogDeterminant(s.llt().matrixLLT()));
}

struct Problem {
  Vector d, next_d;
  Matrix x, w;

  explicit Problem(Index columns) {
    d = Normals(kSize, 1, 5).array().square() + 0.3;
    x = Normals(kSize, columns, 6);
    x.row(2) *= 4;
  }
  void Compress(Kind kind, Index rank, Index loops = 0) {
    Compressor().Compress({kind, loops}, d, x, rank, next_d, w);
  }
  Matrix Before() const { return x * x.transpose() + Matrix(d.asDiagonal()); }
  Matrix After() const { return w * w.transpose() + Matrix(next_d.asDiagonal()); }
};

// Fewer columns than rows, as many, and more: the two Gram matrices.
class CompressColumns : public testing::TestWithParam<Index> {};

TEST_P(CompressColumns, KeepsTheLargestSingularPairs) {
  Problem p(GetParam());
  p.Compress(Kind::kDrop, 2);
  const Eigen::SelfAdjointEigenSolver<Matrix> dense(p.x * p.x.transpose());
  Matrix expected = Matrix::Zero(kSize, kSize);
  for (Index k = kSize - 2; k < kSize; ++k) {
    expected += dense.eigenvalues()[k] * dense.eigenvectors().col(k) *
                dense.eigenvectors().col(k).transpose();
  }
  EXPECT_LT((p.w * p.w.transpose() - expected).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_EQ(p.next_d, p.d);
  EXPECT_GE(p.w.col(0).norm(), p.w.col(1).norm());
}

TEST_P(CompressColumns, KeepsTheDiagonal) {
  Problem p(GetParam());
  p.Compress(Kind::kKeepDiagonal, 2);
  EXPECT_LT((p.After().diagonal() - p.Before().diagonal()).cwiseAbs().maxCoeff(), 1e-11);
  EXPECT_GT((p.next_d - p.d).minCoeff(), 0);
}

TEST_P(CompressColumns, IsExactAtFullRank) {
  for (const Kind kind : {Kind::kDrop, Kind::kKeepDiagonal, Kind::kFactorAnalysis}) {
    Problem p(GetParam());
    p.Compress(kind, kSize, 3);
    EXPECT_EQ(p.w.cols(), kSize);
    EXPECT_LT((p.After() - p.Before()).cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST_P(CompressColumns, FactorAnalysisLowersTheDivergenceLoopByLoop) {
  Problem p(GetParam());
  p.Compress(Kind::kKeepDiagonal, 2);
  double previous = Divergence(p.Before(), p.After());
  const double first = previous;
  for (const Index loops : {1, 2, 3, 10, 100, 3000}) {
    p.Compress(Kind::kFactorAnalysis, 2, loops);
    const double now = Divergence(p.Before(), p.After());
    EXPECT_LE(now, previous + 1e-12) << loops;
    previous = now;
  }
  EXPECT_LT(previous, 0.98 * first);
}

INSTANTIATE_TEST_SUITE_P(Columns, CompressColumns, testing::Values(5, 9, 30));

TEST(Compressor, OfNothingIsNothing) {
  Problem p(4);
  p.x.setZero();
  for (const Kind kind : {Kind::kDrop, Kind::kKeepDiagonal, Kind::kFactorAnalysis}) {
    p.Compress(kind, 3, 2);
    EXPECT_EQ(p.w, Matrix::Zero(kSize, 3));
    EXPECT_LT((p.next_d - p.d).cwiseAbs().maxCoeff(), 1e-14);
  }
}

TEST(Condense, KeepsTheOuterProductOfFewerColumns) {
  const Matrix x = Normals(4, 40, 1);
  Matrix condensed = x;
  Condense(condensed);
  EXPECT_EQ(condensed.cols(), 4);
  EXPECT_LT((condensed * condensed.transpose() - x * x.transpose()).cwiseAbs().maxCoeff(), 1e-11);
  Matrix narrow = x.leftCols(3);
  Condense(narrow);
  EXPECT_EQ(narrow, x.leftCols(3));
}

}  // namespace
}  // namespace prequel::compression_test
