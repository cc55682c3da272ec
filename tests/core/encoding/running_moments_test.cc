#include "core/encoding/running_moments.h"

#include <cmath>
#include <limits>

#include "core/random/philox.h"
#include "gtest/gtest.h"

namespace prequel::running_moments_test {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// columns × examples: normals of different location and scale per column.
Matrix Normals(std::uint64_t seed, Index columns, Index examples) {
  Matrix x(columns, examples);
  FillNormal({seed, 0, 0}, x);
  for (Index i = 0; i < columns; ++i) {
    x.row(i).array() = 10.0 * static_cast<double>(i) + x.row(i).array() * std::pow(2.0, i % 7 - 3);
  }
  return x;
}

// Mean and M2 in extended precision, by their definitions.
struct Oracle {
  long double count = 0, mean = 0, m2 = 0;
};

Oracle Exact(const Matrix& x, Index i) {
  Oracle oracle;
  for (Index j = 0; j < x.cols(); ++j) {
    if (std::isnan(x(i, j))) continue;
    oracle.count += 1;
    oracle.mean += x(i, j);
  }
  if (oracle.count > 0) oracle.mean /= oracle.count;
  for (Index j = 0; j < x.cols(); ++j) {
    if (std::isnan(x(i, j))) continue;
    oracle.m2 += (x(i, j) - oracle.mean) * (x(i, j) - oracle.mean);
  }
  return oracle;
}

void ExpectExact(const RunningMoments& moments, const Matrix& x, double tolerance) {
  ASSERT_EQ(moments.size(), x.rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const Oracle oracle = Exact(x, i);
    EXPECT_EQ(moments.count[i], static_cast<double>(oracle.count)) << i;
    EXPECT_NEAR(moments.mean[i], static_cast<double>(oracle.mean),
                tolerance * (1 + std::abs(moments.mean[i])))
        << i;
    EXPECT_NEAR(moments.m2[i], static_cast<double>(oracle.m2), tolerance * (1 + moments.m2[i]))
        << i;
  }
}

// Folds x in minibatches of the sizes 1, 2, … given by `next`.
template <class Next>
RunningMoments Fold(const Matrix& x, Next next) {
  RunningMoments moments = RunningMoments::Empty(x.rows());
  for (Index at = 0; at < x.cols();) {
    const Index size = std::min<Index>(next(), x.cols() - at);
    moments.Absorb(x.middleCols(at, size));
    at += size;
  }
  return moments;
}

class RunningMomentsOf : public testing::TestWithParam<Index> {};

TEST_P(RunningMomentsOf, AgreesWithTheDefinitionHoweverItIsSplit) {
  const Matrix x = Normals(1, GetParam(), 1000);
  for (const Index size : {1, 2, 7, 100, 1000}) {
    ExpectExact(Fold(x, [size] { return size; }), x, 1e-12);
  }
  Index size = 0;
  ExpectExact(Fold(x, [&size] { return ++size; }), x, 1e-12);
}

TEST_P(RunningMomentsOf, UnknownValuesDoNotCount) {
  Matrix x = Normals(2, GetParam(), 500);
  for (Index i = 0; i < x.rows(); ++i) {
    for (Index j = 0; j < x.cols(); ++j) {
      if ((j * (i + 3)) % 5 == 0) x(i, j) = kNaN;
    }
  }
  x.row(x.rows() - 1).setConstant(kNaN);
  for (const Index size : {1, 3, 500}) {
    const RunningMoments moments = Fold(x, [size] { return size; });
    ExpectExact(moments, x, 1e-12);
    EXPECT_EQ(moments.mean[x.rows() - 1], 0);
    EXPECT_EQ(moments.Scale(x.rows() - 1), 1);
  }
}

// Fewer columns than a register holds, exactly as many, and remainders.
INSTANTIATE_TEST_SUITE_P(Columns, RunningMomentsOf, testing::Values(1, 2, 3, 4, 5, 7, 8, 16, 33));

TEST(RunningMoments, OrderOfExamplesDoesNotMatterBeyondRounding) {
  const Matrix x = Normals(3, 5, 400);
  const Matrix reversed = x.rowwise().reverse();
  const RunningMoments moments = Fold(reversed, [] { return 9; });
  ExpectExact(moments, x, 1e-12);
}

TEST(RunningMoments, SameMinibatchesGiveTheSameBits) {
  const Matrix x = Normals(4, 6, 300);
  const RunningMoments once = Fold(x, [] { return 13; });
  const RunningMoments again = Fold(x, [] { return 13; });
  EXPECT_EQ(once.mean, again.mean);
  EXPECT_EQ(once.m2, again.m2);
  // A column's moments do not depend on the columns beside it.
  const RunningMoments alone = Fold(x.row(5), [] { return 13; });
  EXPECT_EQ(alone.mean[0], once.mean[5]);
  EXPECT_EQ(alone.m2[0], once.m2[5]);
}

TEST(RunningMoments, KeptExamplesOnly) {
  const Matrix x = Normals(5, 6, 50);
  const std::vector<Index> kept = {0, 3, 4, 17, 49};
  Matrix chosen(6, 5);
  for (Index k = 0; k < 5; ++k) chosen.col(k) = x.col(kept[static_cast<std::size_t>(k)]);
  RunningMoments a = RunningMoments::Empty(6), b = RunningMoments::Empty(6);
  a.Absorb(x, kept);
  b.Absorb(chosen);
  EXPECT_EQ(a.mean, b.mean);
  EXPECT_EQ(a.m2, b.m2);
  a.Absorb(x, std::vector<Index>());
  EXPECT_EQ(a.count, b.count);
}

TEST(RunningMoments, ALargeMeanCostsNoAccuracy) {
  Matrix x(5, 20000);
  FillNormal({6, 0, 0}, x);
  x.array() += 1e9;
  for (const Index size : {1, 64, 20000}) {
    const RunningMoments moments = Fold(x, [size] { return size; });
    for (Index i = 0; i < 5; ++i) {
      const Oracle oracle = Exact(x, i);
      EXPECT_NEAR(moments.mean[i], static_cast<double>(oracle.mean), 1e-5);
      EXPECT_NEAR(moments.m2[i] / static_cast<double>(oracle.m2), 1, 1e-7);
      EXPECT_NEAR(moments.Scale(i), 1, 0.03);
    }
  }
}

TEST(RunningMoments, AConstantColumnHasScaleOne) {
  for (const double value : {0.0, 0.1, -1.0 / 3, 1e9 + 0.1, 1e-30, 1e99, 12345.678}) {
    for (const Index size : {1, 3, 64, 4096}) {
      Matrix x(5, 20000);
      x.setConstant(value);
      const RunningMoments moments = Fold(x, [size] { return size; });
      for (Index i = 0; i < 5; ++i) EXPECT_EQ(moments.Scale(i), 1) << value << " by " << size;
      EXPECT_NEAR(moments.mean[0], value, 1e-15 * std::abs(value));
    }
  }
}

TEST(RunningMoments, RoundingNoiseIsNoScale) {
  Matrix x(1, 1000);
  for (Index j = 0; j < 1000; ++j) x(0, j) = j % 2 == 0 ? 0.1 + 0.2 : 0.3;
  EXPECT_EQ(Fold(x, [] { return 10; }).Scale(0), 1);
}

TEST(RunningMoments, OneValueHasScaleOneAndTwoHaveTheirOwn) {
  Matrix x(1, 2);
  x << 3, 5;
  RunningMoments moments = RunningMoments::Empty(1);
  EXPECT_EQ(moments.Scale(0), 1);
  moments.Absorb(x.leftCols(1));
  EXPECT_EQ(moments.Scale(0), 1);
  moments.Absorb(x.rightCols(1));
  EXPECT_DOUBLE_EQ(moments.Scale(0), std::sqrt(2.0));
}

// With a window what came first counts as so many values: n_0 of mean 0 and deviation 1, then one
// value after the other.
TEST(RunningMoments, RememberAboutAWindow) {
  constexpr double kWindow = 50;
  const Matrix x = Normals(11, 1, 400);
  RunningMoments moments = RunningMoments::Empty(1);
  moments.Absorb(x.leftCols(60), kWindow);
  ExpectExact(moments, x.leftCols(60), 1e-12);  // none is forgotten before there are too many
  double count = 60, mean = moments.mean[0], m2 = moments.m2[0];
  for (Index j = 60; j < 400; ++j) {
    moments.Absorb(x.col(j), kWindow);
    m2 *= kWindow / count;
    count = kWindow + 1;
    const double delta = x(0, j) - mean;
    mean += delta / count;
    m2 += delta * delta * kWindow / count;
    ASSERT_NEAR(moments.mean[0], mean, 1e-12);
    ASSERT_NEAR(moments.m2[0], m2, 1e-9);
    ASSERT_NEAR(moments.count[0], count, 1e-12);
  }
}

TEST(RunningMoments, FollowAScaleThatMoves) {
  const Matrix x = Normals(12, 1, 4000);
  RunningMoments all = RunningMoments::Empty(1), recent = all;
  for (Index j = 0; j < 4000; j += 10) {
    Matrix batch = x.middleCols(j, 10);
    if (j >= 2000) batch = (10 * batch.array() + 50).matrix();
    all.Absorb(batch);
    recent.Absorb(batch, 200);
  }
  EXPECT_NEAR(recent.mean[0], 50, 3);
  EXPECT_NEAR(recent.Scale(0), 10.0 / 8, 0.2);  // column 0 has deviation 1/8
  EXPECT_LT(all.mean[0], 30);
}

TEST(RunningMoments, ExtremeMagnitudesStayFinite) {
  Matrix x(4, 1000);
  Vector flat(x.size());
  FillUniform({7, 0, 0}, flat);
  x.reshaped() = flat;
  x.array() = (x.array() * 2 - 1) * kMaxMagnitude;
  const RunningMoments moments = Fold(x, [] { return 10; });
  EXPECT_TRUE(moments.IsValid());
  EXPECT_NEAR(moments.Scale(0) / kMaxMagnitude, 1 / std::sqrt(3.0), 0.05);
}

TEST(RunningMoments, ValidityIsChecked) {
  RunningMoments moments = Fold(Normals(8, 3, 10), [] { return 10; });
  EXPECT_TRUE(moments.IsValid());
  RunningMoments bad = moments;
  bad.m2[1] = -1;
  EXPECT_FALSE(bad.IsValid());
  bad = moments;
  bad.count[2] = kNaN;
  EXPECT_FALSE(bad.IsValid());
  bad = moments;
  bad.mean[0] = HUGE_VAL;
  EXPECT_FALSE(bad.IsValid());
  bad = moments;
  bad.mean.conservativeResize(2);
  EXPECT_FALSE(bad.IsValid());
}

// A value far out counts as if it lay at the bound, in whatever minibatch it comes.
TEST(RunningMoments, AWildValueMovesNothingForLong) {
  for (const Index columns : {1, 5}) {
    for (const Index size : {1, 32}) {
      Matrix x = Normals(14, columns, 1024);
      x(columns - 1, 1000) = -9999;
      RunningMoments moments = RunningMoments::Empty(columns), held = moments;
      const double kAll = RunningMoments::kAllRows;
      for (Index first = 0; first < 1024; first += size) {
        moments.Absorb(x.middleCols(first, size), kAll, 5);
        if (first <= 1000 && 1000 < first + size) {
          const double bound = held.mean[columns - 1] - 5 * held.Scale(columns - 1);
          x(columns - 1, 1000) = bound;  // of the moments before the minibatch
        }
        held.Absorb(x.middleCols(first, size), kAll);
      }
      EXPECT_LT((moments.mean - held.mean).cwiseAbs().maxCoeff(), 1e-12);
      EXPECT_LT((moments.m2 - held.m2).cwiseAbs().maxCoeff(), 1e-9);
      EXPECT_GT(moments.far[columns - 1], 0.1);
      EXPECT_LE(moments.far[columns - 1], 1);
      EXPECT_TRUE(moments.IsValid());
    }
  }
}

// Of a column that is mostly 0 the rest are far out, and belong to it: its deviation is that of
// all.
TEST(RunningMoments, RareValuesThatComeAgainCountWhole) {
  for (const Index size : {1, 64}) {
    RunningMoments moments = RunningMoments::Empty(1);
    for (Index first = 0; first < 64000; first += size) {
      Matrix x = Matrix::Zero(1, size);
      for (Index i = 0; i < size; ++i) x(0, i) = (first + i) % 100 == 99 ? 10 : 0;
      moments.Absorb(x, 10000, 5);
    }
    EXPECT_NEAR(moments.mean[0], 0.1, 0.02) << size;
    EXPECT_NEAR(moments.Scale(0), std::sqrt(0.01 * 0.99 * 100), 0.05) << size;
  }
}

// A column whose values become a thousand times as large, or that jumps, is followed.
TEST(RunningMoments, AColumnThatHasBecomeAnotherIsFollowed) {
  for (const Index size : {1, 8, 64}) {
    RunningMoments moments = RunningMoments::Empty(1);
    const double kWindow = 10000;
    for (std::uint64_t t = 0; t < 100; ++t) moments.Absorb(Normals(100 + t, 1, 64), kWindow, 5);
    for (Index rows = 0; rows < 256; rows += size) {
      const Matrix x = 1000 * Normals(1000 + static_cast<std::uint64_t>(rows), 1, size);
      moments.Absorb((x.array() + 5000).matrix(), kWindow, 5);
      ASSERT_TRUE(moments.IsValid());
    }
    EXPECT_NEAR(moments.mean[0], 5000, 1500) << size;
    EXPECT_GT(moments.Scale(0), 700) << size;
    EXPECT_LT(moments.Scale(0), 3000) << size;
  }
}

}  // namespace
}  // namespace prequel::running_moments_test
