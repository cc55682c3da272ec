#include "core/calibration/intervals.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/distributions/poisson_mixture.h"
#include "core/distributions/student_t.h"
#include "core/linalg/special.h"
#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel {
namespace {

constexpr std::array<double, 3> kChecked = {0.5, 0.9, 0.95};

// The share of y inside the intervals of those levels as they were served, of rows from `first`.
std::array<double, 3> CoverageOf(const std::vector<Position>& own, Index rows, std::size_t first) {
  IntervalsState state = FreshIntervals(1);
  std::array<double, 3> inside{};
  for (std::size_t at = 0; at < own.size(); at += static_cast<std::size_t>(rows)) {
    const ServedLevels levels(state, 0);
    const std::size_t count = std::min(static_cast<std::size_t>(rows), own.size() - at);
    for (std::size_t i = at; i < at + count; ++i) {
      if (i < first) continue;
      const Position y = levels.Served(own[i]);
      for (std::size_t c = 0; c < 3; ++c) {
        inside[c] += y.upper >= 0.5 * (1 - kChecked[c]) && y.lower <= 0.5 * (1 + kChecked[c]);
      }
    }
    LearnIntervals(&own[at], static_cast<Index>(count), state);
  }
  for (double& sum : inside) sum /= static_cast<double>(own.size() - first);
  return inside;
}

void ExpectCoverage(const std::vector<Position>& own, const char* what, Index most = 1000) {
  for (const Index rows : {1, 64, 1000}) {
    if (rows > most) continue;
    const std::array<double, 3> inside = CoverageOf(own, rows, 1000);
    for (std::size_t c = 0; c < 3; ++c) {
      EXPECT_NEAR(inside[c], kChecked[c], 0.01) << what << " at " << rows << " rows";
    }
  }
}

// Positions of y_i = deviation(i) · z_i in N(0, 1).
std::vector<Position> OfNormals(std::size_t rows, const std::function<double(std::size_t)>& scale) {
  const Matrix z = Normals(1, static_cast<Index>(rows), 31);
  std::vector<Position> own(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    own[i].upper = own[i].lower = NormalCdf(scale(i) * z(0, static_cast<Index>(i)));
  }
  return own;
}

TEST(Intervals, FreshOnesAreThePredictivesOwn) {
  const ServedLevels levels(FreshIntervals(2), 1);
  for (const double p : {1e-300, 0.1, 0.25, 0.5, 0.9, 1 - 1e-16}) {
    EXPECT_EQ(levels.Own(p), p);
    EXPECT_EQ(levels.Served(p), p);
  }
}

// θ_c += 0.005 Σ (c − 1[s ≤ σ(θ_c)])/max(c(1 − c), 0.05), by hand.
TEST(Intervals, OneMinibatchByHand) {
  IntervalsState state = FreshIntervals(2);
  // Of output 1: s = 0.5 inside 0.8 and up, s = 0.98 inside 0.99 alone.
  const std::vector<Position> positions = {{0.5, 0.5}, {0.25, 0.25}, {0.5, 0.5}, {0.99, 0.99}};
  LearnIntervals(positions.data(), 2, state);
  const double expected[] = {0.4 / 0.16, 0.0, 0.6 / 0.16, 0.8 / 0.09, 0.9 / 0.05, -0.02 / 0.05};
  for (Index j = 0; j < 6; ++j) {
    if (j == 1) continue;  // s = 0.5 lies on its edge
    EXPECT_NEAR(state.shifts(j, 1), 0.005 * expected[j], 1e-12) << j;
  }
  EXPECT_NEAR(state.shifts(3, 0), 0.005 * -0.2 / 0.09, 1e-12);
}

TEST(Intervals, HoldOnDataOfThePredictive) {
  ExpectCoverage(OfNormals(20000, [](std::size_t) { return 1; }), "right");
}

TEST(Intervals, HoldWhereThePredictiveIsWrong) {
  ExpectCoverage(OfNormals(20000, [](std::size_t) { return 3; }), "three times too narrow");
  ExpectCoverage(OfNormals(20000, [](std::size_t) { return 0.2; }), "five times too wide");
  const auto noise = [](std::size_t i) { return (i / 2000) % 2 == 0 ? 0.5 : 2; };
  ExpectCoverage(OfNormals(40000, noise), "changing noise", 64);
  // Heavy tails: Student-t of 2 degrees of freedom, z/√(e) with e exponential of mean 1.
  const Matrix u =
      (0.5 * Normals(1, 20000, 8).array().square() + 0.5 * Normals(1, 20000, 9).array().square());
  const auto tails = [&](std::size_t i) { return 1 / std::sqrt(u(0, static_cast<Index>(i))); };
  ExpectCoverage(OfNormals(20000, tails), "heavy tails");
  std::vector<Position> skewed = OfNormals(20000, [](std::size_t) { return 1; });
  for (Position& y : skewed) y.upper = y.lower = y.upper * y.upper;
  ExpectCoverage(skewed, "skewed");
}

// Predicted as Poisson of mean 8, and twice as spread.
TEST(Intervals, HoldForCounts) {
  const PoissonMixture predicted(std::log(8.0), 0);
  Vector u(20000);
  FillUniform(Stream{3, 1, 0}, u);
  std::vector<Position> own(20000);
  for (std::size_t i = 0; i < own.size(); ++i) {
    const double y = std::floor(std::max(0.0, 8 + 6 * NormalQuantile(u[static_cast<Index>(i)])));
    own[i] = {predicted.Cdf(y), predicted.Cdf(y - 1)};
  }
  ExpectCoverage(own, "counts", 64);
}

TEST(Intervals, QuantilesStayInOrderAndComeBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    IntervalsState state = FreshIntervals(1);
    state.shifts = 3 * Normals(6, 1, 100 + seed);  // levels that cross, too
    const ServedLevels levels(state, 0);
    StudentT t{.location = 1, .scale = 2, .dof = 5};
    InUnits<StudentT> own;
    own.Assign(t, 0, 1);
    Calibrated d;
    d.Assign(own, levels, 1);
    double before = -HUGE_VAL;
    for (int k = 1; k < 2000; ++k) {
      const double p = k / 2000.0;
      const double q = d.Quantile(p);
      EXPECT_GE(q, before - 1e-12 * std::abs(q)) << p;
      EXPECT_GE(levels.Own(p), levels.Own((k - 1) / 2000.0)) << p;
      before = q;
      EXPECT_NEAR(levels.Own(p) + levels.Own(1 - p), 1, 1e-12);
      const double there = levels.Own(levels.Served(p));
      EXPECT_NEAR(there, p, 1e-9) << p;
    }
    EXPECT_NEAR(d.Quantile(0.5), 1, 1e-12);
  }
}

// However long all is outside, or inside, levels stay where they find back.
TEST(Intervals, StayWithinBounds) {
  IntervalsState state = FreshIntervals(1);
  for (const double u : {1.0, 0.0, 0.5}) {
    const std::vector<Position> positions(1000, Position{u, u});
    for (int t = 0; t < 100; ++t) LearnIntervals(positions.data(), 1000, state);
    EXPECT_TRUE(IsSound(state, 1)) << u;
    const ServedLevels levels(state, 0);
    for (const double p : {1e-12, 0.05, 0.3, 0.5, 0.95, 1 - 1e-12}) {
      EXPECT_GT(levels.Own(p), 0);
      EXPECT_LT(levels.Own(p), 1);
      EXPECT_TRUE(std::isfinite(NormalQuantile(levels.Own(p))));
    }
  }
}

}  // namespace
}  // namespace prequel
