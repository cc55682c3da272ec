#include "core/calibration/log_odds_map.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <vector>

#include "gtest/gtest.h"
#include "tests/core/streams.h"

namespace prequel::log_odds_map_test {
namespace {

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Log odds that say almost nothing by their sign and much by where they lie.
double Truth(double z) { return 1.5 * std::cos(8 * z); }

double LogLoss(double log_odds, double y) {
  return std::log1p(std::exp(y > 0 ? -log_odds : log_odds));
}

struct Losses {
  double mapped = 0, own = 0, truth = 0;  // of the latter half
};

// `rows` at a time of 4,000 labels of Truth, at log odds of deviation 0.3.
Losses LossesOf(Index rows, LogOddsMapState& state) {
  constexpr Index kRows = 4000;
  constexpr double kShare = 2.0 / kRows;
  Losses sum;
  for (Index first = 0; first < kRows; first += rows) {
    const Matrix z = 0.3 * Normals(1, rows, 7, static_cast<std::uint64_t>(first));
    Vector u(rows), y(rows);
    FillUniform(Stream{8, static_cast<std::uint64_t>(first), 0}, u);
    for (Index i = 0; i < rows; ++i) {
      const double truth = Truth(z(0, i));
      y[i] = u[i] < Sigmoid(truth) ? 1 : 0;
      if (first < kRows / 2) continue;
      sum.mapped += kShare * LogLoss(MappedLogOdds(state, z(0, i), z(0, i)), y[i]);
      sum.own += kShare * LogLoss(z(0, i), y[i]);
      sum.truth += kShare * LogLoss(truth, y[i]);
    }
    for (Index i = 0; i < rows; ++i) LearnLogOddsMap(z(0, i), z(0, i), y[i], 1, state);
    for (Index i = 0; i < rows; ++i) MoveLogOddsMap(z(0, i), state);
  }
  return sum;
}

TEST(LogOddsMap, LearnsWhatNoMonotoneFunctionSays) {
  for (const Index rows : {1, 50}) {
    LogOddsMapState state = FreshLogOddsMap();
    const Losses losses = LossesOf(rows, state);
    EXPECT_GT(losses.own, losses.truth + 0.1);
    EXPECT_LT(losses.mapped, losses.truth + 0.02) << rows;
    EXPECT_NEAR(state.location, 0, 0.02);
    EXPECT_NEAR(std::sqrt(state.variance), 0.3, 0.01);
  }
}

// One row half way between two knots, in information form: P'⁻¹ = P⁻¹ + c hhᵀ and m' = Ph (y − p),
// p at the root.
TEST(LogOddsMap, OneRowByHand) {
  LogOddsMapState state = FreshLogOddsMap();
  state.location = 1;
  state.variance = 4;
  const Matrix prior = state.covariance;
  const double z = 1 + 2 * 0.625;  // u = 0.625
  const double offset = 0.7;
  LearnLogOddsMap(z, offset, 1, 1, state);
  Vector h = Vector::Zero(25);
  h[14] = h[15] = 0.5;  // knots 0.5 and 0.75
  const double nu = h.dot(prior * h);
  const double k = std::sqrt(8 / M_PI / (nu + 8 / M_PI));
  const double p = 1 - h.dot(state.mean) / nu;  // y = 1
  EXPECT_NEAR(p, Sigmoid(k * (offset + nu * (1 - p))), 1e-6);
  EXPECT_LT((state.mean - prior * h * (1 - p)).norm(), 1e-12);
  const double c = k * p * (1 - p);
  const Vector gain = prior * h;
  EXPECT_LT((state.covariance - (prior - c / (1 + c * nu) * gain * gain.transpose())).norm(),
            1e-12);
}

TEST(LogOddsMap, BeyondTheLastKnotIsAsTheLastKnot) {
  LogOddsMapState state = FreshLogOddsMap();
  state.variance = 1;
  for (int t = 0; t < 40; ++t) LearnLogOddsMap(3, 0, 1, 1, state);
  EXPECT_GT(state.mean[24], state.mean[23]);
  EXPECT_GT(MappedLogOdds(state, 3, 0), 1);
  EXPECT_EQ(MappedLogOdds(state, 30, 0), MappedLogOdds(state, 3, 0));
  EXPECT_NEAR(MappedLogOdds(state, 0, 0), 0, 1e-6);
}

// E σ(z′ + g), g ~ N(0, 0.5): nothing is said but that nothing is known.
TEST(LogOddsMap, AtFirstIsLessSure) {
  LogOddsMapState state = FreshLogOddsMap();
  state.variance = 1;
  const double k = std::sqrt(8 / M_PI / (0.5 + 8 / M_PI));
  EXPECT_NEAR(MappedLogOdds(state, 0, 2), 2 * k, 1e-12);
  EXPECT_EQ(MappedLogOdds(state, 0, 1000), 100);
}

TEST(LogOddsMap, KnowsWhereLogOddsLie) {
  LogOddsMapState state = FreshLogOddsMap();
  for (const double z : {1.0, 3.0, 5.0}) MoveLogOddsMap(z, state);
  EXPECT_DOUBLE_EQ(state.location, 3);
  EXPECT_DOUBLE_EQ(state.variance, 8.0 / 3);
}

// What nothing is heard of for long stays as it was, and is known no better than at first.
TEST(LogOddsMap, BecomesLessSure) {
  LogOddsMapState state = FreshLogOddsMap();
  const Matrix prior = state.covariance;
  state.variance = 1;
  for (int t = 0; t < 20; ++t) LearnLogOddsMap(0, 0, 1, 1, state);
  LogOddsMapState later = state;
  for (int t = 0; t < 31; ++t) MoveLogOddsMap(0, later);
  EXPECT_EQ(later.covariance, state.covariance);
  MoveLogOddsMap(0, later);
  const double kept = std::exp(-0.032);
  EXPECT_LT((later.covariance - kept * state.covariance - (1 - kept) * prior).norm(), 1e-13);
  for (int t = 0; t < 20000; ++t) MoveLogOddsMap(0, later);
  EXPECT_EQ(later.mean, state.mean);
  EXPECT_LT((later.covariance - prior).norm(), 1e-6);
}

// However long: P is positive definite, and no larger than K.
TEST(LogOddsMap, StaysSound) {
  LogOddsMapState state = FreshLogOddsMap();
  const Matrix prior = state.covariance;
  for (std::uint64_t step = 0; step < 1000; ++step) {
    const Matrix z = std::exp(0.01 * static_cast<double>(step % 700)) * Normals(1, 64, 5, step);
    for (Index i = 0; i < 64; ++i) LearnLogOddsMap(z(0, i), 0, i % 3 == 0, 1, state);
    for (Index i = 0; i < 64; ++i) MoveLogOddsMap(z(0, i), state);
    if (step % 100 > 0) continue;
    ASSERT_TRUE(IsSound(state)) << step;
    const Matrix left = prior - state.covariance;
    EXPECT_GT(left.selfadjointView<Eigen::Lower>().eigenvalues().minCoeff(), -1e-9) << step;
  }
}

}  // namespace
}  // namespace prequel::log_odds_map_test
