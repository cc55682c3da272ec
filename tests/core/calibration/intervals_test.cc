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

namespace prequel::intervals_test {
namespace {

constexpr std::array<double, 5> kChecked = {0.05, 0.25, 0.5, 0.75, 0.95};

// The share of y below the quantile of each of those probabilities as it was served, of rows from
// `first`: of counts those below it for p < ½, those not above it for p > ½, and of the median
// those below it and half of those on it.
std::array<double, 5> SharesBelow(const std::vector<Position>& own, Index rows, std::size_t first) {
  IntervalsState state = FreshIntervals(1);
  std::array<double, 5> below{};
  for (std::size_t at = 0; at < own.size(); at += static_cast<std::size_t>(rows)) {
    const ServedLevels levels(state, 0);
    const std::size_t count = std::min(static_cast<std::size_t>(rows), own.size() - at);
    for (std::size_t i = at; i < at + count; ++i) {
      if (i < first) continue;
      const Position y = levels.Served(own[i]);
      for (std::size_t k = 0; k < kChecked.size(); ++k) {
        const double p = kChecked[k], all = y.upper < p ? 1 : 0, some = y.lower < p ? 1 : 0;
        below[k] += p < 0.5 ? all : p > 0.5 ? some : 0.5 * (all + some);
      }
    }
    LearnIntervals(&own[at], static_cast<Index>(count), {}, state);
  }
  for (double& sum : below) sum /= static_cast<double>(own.size() - first);
  return below;
}

// `slack`: times the usual tolerance.
void ExpectQuantiles(const std::vector<Position>& own, const char* what, Index most = 1000,
                     double slack = 1) {
  for (const Index rows : {1, 64, 1000}) {
    if (rows > most) continue;
    const std::array<double, 5> below = SharesBelow(own, rows, 1000);
    for (std::size_t k = 0; k < kChecked.size(); ++k) {
      const double tolerance = slack * (rows < 1000 ? 0.01 : 0.02);  // 19 minibatches
      EXPECT_NEAR(below[k], kChecked[k], tolerance) << what << " at " << rows << " rows";
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

// θ_p += 0.005 Σ (p − 1[F(y) ≤ σ(θ_p)])/max(p(1 − p), 0.025), by hand.
TEST(Intervals, OneMinibatchByHand) {
  IntervalsState state = FreshIntervals(2);
  // Of output 0 a count that covers 0.3 to 0.7; of output 1 a value at 0.3 and one at 0.99.
  const std::vector<Position> positions = {{0.7, 0.3}, {0.3, 0.3}, {0.7, 0.3}, {0.99, 0.99}};
  LearnIntervals(positions.data(), 2, {}, state);
  const auto expect = [&](Index knot, Index output, double p, double below) {
    const double step = 0.005 * (2 * p - below) / std::max(p * (1 - p), 0.025);
    EXPECT_NEAR(state.shifts(knot, output), step, 1e-12) << p << " of " << output;
  };
  const double all[] = {0.005, 0.025, 0.05, 0.1,  0.25,  0.4,  0.5,
                        0.6,   0.75,  0.9,  0.95, 0.975, 0.995};
  for (Index j = 0; j < 13; ++j) {
    const double p = all[j];
    expect(j, 0, p, p < 0.5 ? 0 : p > 0.5 ? 2 : 1);  // on it: below no lower, above no upper one
    expect(j, 1, p, (p > 0.3 ? 1 : 0) + (p > 0.99 ? 1 : 0));
  }
}

TEST(Intervals, HoldOnDataOfThePredictive) {
  ExpectQuantiles(OfNormals(20000, [](std::size_t) { return 1; }), "right");
}

TEST(Intervals, HoldWhereThePredictiveIsWrong) {
  ExpectQuantiles(OfNormals(20000, [](std::size_t) { return 3; }), "three times too narrow");
  ExpectQuantiles(OfNormals(20000, [](std::size_t) { return 0.2; }), "five times too wide");
  const auto noise = [](std::size_t i) { return (i / 2000) % 2 == 0 ? 0.5 : 2; };
  ExpectQuantiles(OfNormals(40000, noise), "changing noise", 64);
  // Heavy tails: Student-t of 2 degrees of freedom, z/√(e) with e exponential of mean 1.
  const Matrix u =
      (0.5 * Normals(1, 20000, 8).array().square() + 0.5 * Normals(1, 20000, 9).array().square());
  const auto tails = [&](std::size_t i) { return 1 / std::sqrt(u(0, static_cast<Index>(i))); };
  ExpectQuantiles(OfNormals(20000, tails), "heavy tails");
  std::vector<Position> skewed = OfNormals(20000, [](std::size_t) { return 1; });
  for (Position& y : skewed) y.upper = y.lower = y.upper * y.upper;
  ExpectQuantiles(skewed, "skewed");
  // Exponential of mean 1, predicted as N(1, 1); and all of it far above what was predicted.
  std::vector<Position> exponential(20000), above(20000);
  for (std::size_t i = 0; i < above.size(); ++i) {
    const double y = -std::log(NormalCdf(Normals(1, 1, 12, i)(0, 0)));
    exponential[i].upper = exponential[i].lower = NormalCdf(y - 1);
    above[i].upper = above[i].lower = NormalCdf(y + 2);
  }
  ExpectQuantiles(exponential, "exponential");
  ExpectQuantiles(above, "above", 1000, 2);  // it takes longest to get there
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
  ExpectQuantiles(own, "counts", 64, 1.5);
}

TEST(Intervals, QuantilesStayInOrderAndComeBack) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    IntervalsState state = FreshIntervals(1);
    state.shifts = 3 * Normals(13, 1, 100 + seed);  // quantiles that cross, too
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
      const double there = levels.Own(levels.Served(p));
      EXPECT_NEAR(there, p, 1e-9) << p;
    }
  }
}

// However long all is outside, or inside, quantiles stay where they find back.
TEST(Intervals, StayWithinBounds) {
  IntervalsState state = FreshIntervals(1);
  for (const double u : {1.0, 0.0, 0.5}) {
    const std::vector<Position> positions(1000, Position{u, u});
    for (int t = 0; t < 100; ++t) LearnIntervals(positions.data(), 1000, {}, state);
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
}  // namespace prequel::intervals_test
