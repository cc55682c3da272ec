#include "core/calibration/balance.h"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/calibration/intervals.h"
#include "core/distributions/poisson_mixture.h"
#include "gtest/gtest.h"

namespace prequel::balance_test {
namespace {

// Minibatches of Poisson counts of rate 20 in the mean, of which `factor` times as many were
// predicted: 1/factor is what balances them.
class Counts {
 public:
  explicit Counts(double factor, Index rows = 1) : factor_(factor), rows_(rows) {}

  void LearnInto(BalanceState& state, int minibatches) {
    Matrix counts(1, rows_), errors(1, rows_);
    for (int b = 0; b < minibatches; ++b) {
      for (Index i = 0; i < rows_; ++i) {
        const double rate = std::uniform_real_distribution<double>(0, 40)(random_);
        counts(0, i) = std::poisson_distribution<int>(rate)(random_);
        errors(0, i) = counts(0, i) - factor_ * rate;
      }
      LearnBalance(counts, errors, {}, state);
    }
  }

 private:
  double factor_;
  Index rows_;
  std::mt19937_64 random_{3};
};

TEST(Balance, NothingKnownLeavesMeansAsTheyAre) { EXPECT_EQ(MeanFactor(FreshBalance(2), 1), 1); }

TEST(Balance, AsManyArePredictedAsAreCounted) {
  for (const Index rows : {1, 16, 64}) {
    for (const double factor : {0.8, 1.0, 1.1, 1.25}) {
      BalanceState state = FreshBalance(1);
      Counts(factor, rows).LearnInto(state, static_cast<int>(12800 / rows));
      EXPECT_NEAR(MeanFactor(state, 0) * factor, 1, 0.02) << factor << " at " << rows << " rows";
    }
  }
}

// The posterior mean of c, summed on a grid: c ~ N(1, 0.2²), e_b ~ N((c − 1) m_b, φ m_b).
TEST(Balance, IsThePosteriorMeanOfTheFactor) {
  const std::vector<double> means = {3, 10, 0.5, 7}, errors = {1, -4, 0.25, 5};
  BalanceState state = FreshBalance(1);
  double sum = 0, squares = 0;
  for (std::size_t b = 0; b < means.size(); ++b) {
    LearnBalance(Matrix::Constant(1, 1, means[b] + errors[b]), Matrix::Constant(1, 1, errors[b]),
                 {}, state);
    sum += means[b];
    squares += errors[b] * errors[b];
  }
  const double phi = squares / sum;
  double weight = 0, mean = 0;
  for (double c = -1; c <= 3; c += 1e-4) {
    double log = -0.5 * (c - 1) * (c - 1) / 0.04;
    for (std::size_t b = 0; b < means.size(); ++b) {
      const double off = errors[b] - (c - 1) * means[b];
      log -= 0.5 * off * off / (phi * means[b]);
    }
    weight += std::exp(log);
    mean += c * std::exp(log);
  }
  EXPECT_NEAR(MeanFactor(state, 0), mean / weight, 1e-3);  // but for the window
}

// Rows that are predicted together err together, so one minibatch is one error however long it is.
TEST(Balance, OneMinibatchSaysLittle) {
  const Matrix counts = Matrix::Constant(1, 1000, 5), errors = Matrix::Constant(1, 1000, 4);
  BalanceState together = FreshBalance(1), apart = FreshBalance(1);
  LearnBalance(counts, errors, {}, together);
  for (Index i = 0; i < 1000; ++i) LearnBalance(counts.col(i), errors.col(i), {}, apart);
  EXPECT_LT(MeanFactor(together, 0), 1.1);
  EXPECT_GT(MeanFactor(apart, 0), 3);
}

TEST(Balance, ACountBeyondAllOthersMovesItLittle) {
  BalanceState state = FreshBalance(1);
  Counts stream(1);
  stream.LearnInto(state, 2000);
  const double before = MeanFactor(state, 0);
  for (const double count : {1e3, 1e4, 1e6, 1e12}) {
    BalanceState after = state;
    LearnBalance(Matrix::Constant(1, 1, count), Matrix::Constant(1, 1, count - 20), {}, after);
    EXPECT_GE(MeanFactor(after, 0), before - 0.02) << count;
    EXPECT_LE(MeanFactor(after, 0), before + 0.1) << count;
  }
}

TEST(Balance, FollowsAWorldThatMoves) {
  BalanceState state = FreshBalance(1);
  Counts(2).LearnInto(state, 20000);
  EXPECT_NEAR(MeanFactor(state, 0), 0.5, 0.01);
  Counts(0.8).LearnInto(state, 40000);
  EXPECT_TRUE(IsSound(state, 1));
  EXPECT_NEAR(MeanFactor(state, 0), 1.25, 0.05);
}

// Nothing was counted where much was predicted: towards 0, and not beyond.
TEST(Balance, IsNeverNegative) {
  BalanceState state = FreshBalance(1);
  const Matrix none = Matrix::Zero(1, 1), error = Matrix::Constant(1, 1, -1e6);
  for (int b = 0; b < 20000; ++b) LearnBalance(none, error, {}, state);
  EXPECT_GE(MeanFactor(state, 0), 0);
  EXPECT_LT(MeanFactor(state, 0), 0.01);
  EXPECT_TRUE(IsSound(state, 1)) << "all errors are alike: their sum is as large as can be";
}

TEST(Balance, SumsThatNoNumberHoldsStay) {
  constexpr double kHuge = 1e200, kInfinity = std::numeric_limits<double>::infinity();
  BalanceState state = FreshBalance(2);
  const Matrix counts = Matrix::Constant(2, 1, 3), sound = Matrix::Constant(2, 1, 1);
  LearnBalance(counts, sound, {}, state);
  for (const double error : {-kHuge, -kInfinity, std::nan("")}) {
    const BalanceState before = state;
    Matrix errors = sound;
    errors(0, 0) = error;
    LearnBalance(counts, errors, {}, state);
    EXPECT_EQ(state.counted[0], before.counted[0]) << error;
    EXPECT_EQ(state.square[0], before.square[0]) << error;
    EXPECT_GT(state.counted[1], before.counted[1]) << "the other output learns";
    EXPECT_TRUE(IsSound(state, 2));
  }
}

TEST(Balance, SumsAtTheEdgeHaveAFactor) {
  for (const double sum : {1e-308, 1e-200, 1e200, 1e307}) {
    for (const double square : {0.0, 1e-300, 1.0, 1e300}) {
      BalanceState state = FreshBalance(1);
      state.counted[0] = 2 * sum;
      state.predicted[0] = sum;
      state.square[0] = square;
      const double factor = MeanFactor(state, 0);
      EXPECT_TRUE(factor >= 1 && factor <= 2) << factor << " of " << sum << " and " << square;
    }
  }
}

TEST(Balance, OnlySumsAreSound) {
  EXPECT_TRUE(IsSound(FreshBalance(2), 2));
  EXPECT_FALSE(IsSound(FreshBalance(2), 1));
  EXPECT_FALSE(IsSound(BalanceState(), 1));
  BalanceState sure = FreshBalance(1);
  sure.counted[0] = 1e6;
  EXPECT_FALSE(IsSound(sure, 1)) << "errors whose squares come to nothing";
  for (const double wrong : {-1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    for (Vector BalanceState::*sums :
         {&BalanceState::counted, &BalanceState::predicted, &BalanceState::square}) {
      BalanceState state = FreshBalance(2);
      (state.*sums)[1] = wrong;
      EXPECT_FALSE(IsSound(state, 2)) << wrong;
    }
  }
}

// The mean that is served, and how far it is off; nothing else is changed.
TEST(Balance, ChangesTheMeanAlone) {
  InUnits<PoissonMixture> own;
  own.Assign({1.5, 0.25}, 0, 1);
  const ServedLevels levels(FreshIntervals(1), 0);
  Calibrated served;
  served.Assign(own, levels, 0.75);
  EXPECT_EQ(served.Mean(), 0.75 * own.Mean());
  EXPECT_EQ(served.Residual(7), 7 - 0.75 * own.Mean());
  EXPECT_EQ(served.Quantile(0.5), own.Quantile(0.5));
  EXPECT_EQ(served.LogDensity(4), own.LogDensity(4));
  EXPECT_EQ(served.EpistemicVariance(), own.EpistemicVariance());
  served.Assign(own, levels, 1);
  EXPECT_EQ(served.Residual(7), own.Residual(7));
}

}  // namespace
}  // namespace prequel::balance_test
