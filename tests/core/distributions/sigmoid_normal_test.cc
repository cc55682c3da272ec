// Expectations of the sigmoid against a dense grid in the logit, from narrow to very wide.
#include "core/distributions/sigmoid_normal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/distributions/wide_sigmoid.h"
#include "core/likelihoods/bernoulli.h"
#include "tests/core/sigmoid_on_grid.h"

namespace prequel::sigmoid_normal_test {
namespace {

constexpr SigmoidWants kAll{.log_sigmoid = true, .moment = true, .log_probabilities = true};

SigmoidExpectations Expect(double m, double s) {
  SigmoidExpectations e;
  ExpectSigmoid(Lane::Constant(m), Lane::Constant(s), kAll, e);
  return e;
}

double RelativeErrorOf(double got, double want) {
  return std::abs(want) < 1e-6 ? 0 : std::abs(got / want - 1);
}

TEST(ExpectSigmoid, MatchesADenseGrid) {
  double worst = 0;
  for (const double v : {1e-4, 0.01, 1.0, 2.0, 4.0, 4.8, 4.9, 9.0, 16.0, 64.0, 400.0, 1e3, 1e4}) {
    for (const double m : {-30.0, -12.0, -7.0, -3.0, -0.5, 0.0, 0.1, 2.0, 5.0, 10.0, 30.0}) {
      const SigmoidOnGrid want = SigmoidGrid(m, std::sqrt(v));
      const SigmoidExpectations e = Expect(m, std::sqrt(v));
      for (const double error :
           {RelativeErrorOf(e.one[3], want.one), RelativeErrorOf(e.zero[3], want.zero),
            RelativeErrorOf(e.curvature[3], want.curvature),
            RelativeErrorOf(-e.log_sigmoid[3], want.softplus),
            RelativeErrorOf(e.moment[3] - e.log_sigmoid[3], want.entropy),
            RelativeErrorOf(e.log_one[3], std::log(want.one)),
            RelativeErrorOf(e.log_zero[3], std::log(want.zero))}) {
        EXPECT_LT(error, v < kWideDeviation * kWideDeviation ? 1e-4 : 1e-6) << m << " " << v;
        worst = std::max(worst, error);
      }
    }
  }
  RecordProperty("worst_relative_error_1e9", static_cast<int>(1e9 * worst));
}

TEST(ExpectSigmoid, BothWaysAgreeWhereTheyMeet) {
  for (const double m : {-20.0, -4.0, 0.0, 0.7, 9.0}) {
    const SigmoidExpectations narrow = Expect(m, std::nextafter(kWideDeviation, 0.0));
    const SigmoidExpectations wide = Expect(m, kWideDeviation);
    EXPECT_NEAR(wide.one[0] / narrow.one[0], 1, 1e-4) << m;
    EXPECT_NEAR(wide.curvature[0] / narrow.curvature[0], 1, 1e-4) << m;
    EXPECT_NEAR(wide.log_sigmoid[0] / narrow.log_sigmoid[0], 1, 1e-4) << m;
    EXPECT_NEAR(wide.log_one[0] / narrow.log_one[0], 1, 1e-4) << m;
  }
}

// Where E σ underflows, and E σ(f) = e^{m + s²/2}; and where the normal decides alone.
TEST(ExpectSigmoid, LogarithmsOfWideTails) {
  EXPECT_NEAR(Expect(-2000, 10).log_one[0], -1950, 1e-9);
  EXPECT_NEAR(Expect(2000, 10).log_zero[0], -1950, 1e-9);
  EXPECT_NEAR(Expect(-2000, 10).zero[0], 1, 1e-15);
  // E σ(f) = Φ(m/s) to relative O(1/s) in the middle of the tail: log Φ(−50) = −1254.8313611.
  EXPECT_NEAR(Expect(-5e7, 1e6).log_one[0], -1254.8313611, 1e-3);
  // About −h = s, where terms of the series change their form.
  const double at = Expect(-30 * 2.5 - 2.5 * 2.5 + 1e-9, 2.5).log_one[0];
  EXPECT_NEAR(Expect(-30 * 2.5 - 2.5 * 2.5 - 1e-9, 2.5).log_one[0], at, 1e-7);
}

TEST(ExpectSigmoid, GradientsAreThoseOfTheExpectations) {
  constexpr double kStep = 1e-4;
  for (const double s : {2.5, 20.0, 300.0}) {
    for (const double m : {-8.0, 0.3, 40.0}) {
      const SigmoidExpectations up = Expect(m + kStep, s), down = Expect(m - kStep, s);
      const SigmoidExpectations at = Expect(m, s);
      EXPECT_NEAR((up.log_sigmoid[0] - down.log_sigmoid[0]) / (2 * kStep), at.zero[0], 1e-8);
      EXPECT_NEAR((up.one[0] - down.one[0]) / (2 * kStep), at.curvature[0], 1e-8);
    }
  }
}

// Bit for bit, whichever lanes it is beside.
TEST(ExpectSigmoid, LanesDoNotMix) {
  const std::vector<std::pair<double, double>> cases = {
      {0.5, 0.1}, {-3, 2}, {2, 2.5}, {-30, 60}, {500, 1}, {-800, 1.5}, {-900, 3}, {7, 1e3}};
  Lane m, s;
  for (Index j = 0; j < kLanes; ++j) {
    m[j] = cases[static_cast<std::size_t>(j)].first;
    s[j] = cases[static_cast<std::size_t>(j)].second;
  }
  SigmoidExpectations all;
  ExpectSigmoid(m, s, kAll, all);
  for (Index j = 0; j < kLanes; ++j) {
    const SigmoidExpectations alone = Expect(m[j], s[j]);
    EXPECT_EQ(all.one[j], alone.one[j]) << j;
    EXPECT_EQ(all.curvature[j], alone.curvature[j]) << j;
    EXPECT_EQ(all.log_sigmoid[j], alone.log_sigmoid[j]) << j;
    EXPECT_EQ(all.moment[j], alone.moment[j]) << j;
    EXPECT_EQ(all.log_one[j], alone.log_one[j]) << j;
  }
}

// One row x = 1 and one weight of variance 400: the precision of an explicit step gains E σ′.
TEST(Bernoulli, CurvatureOfAWideLogit) {
  LocalExpansion e;
  Bernoulli().Expand({Matrix::Zero(1, 1), Matrix::Constant(1, 1, 400)}, Matrix::Ones(1, 1), {}, e);
  EXPECT_NEAR(e.root(0, 0) * e.root(0, 0), 0.01987, 5e-6);
}

}  // namespace
}  // namespace prequel::sigmoid_normal_test
