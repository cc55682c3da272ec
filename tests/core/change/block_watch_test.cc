// Blocks of inputs beside earlier ones: by hand, and the alarm on streams that stay and that move.
#include "core/change/block_watch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/core/streams.h"

namespace prequel::block_watch_test {
namespace {

// Standard normal columns whose moments are known, in minibatches of `rows`.
class Watched {
 public:
  explicit Watched(Index columns, Index rows = 64) : watch_(columns, columns), rows_(rows) {
    moments_ = RunningMoments::Empty(columns);
    moments_.count.setConstant(1e6);
    moments_.m2.setConstant(1e6 - 1);
  }

  // Of the next `rows` rows those are mean + scale · normal in column 0.
  void Learn(Index rows, double mean = 0, double scale = 1, std::uint64_t seed = 1) {
    for (Index i = 0; i < rows; i += rows_) {
      Matrix x = Normals(watch_.size(), rows_, seed, static_cast<std::uint64_t>(++revision_));
      x.row(0) = (scale * x.row(0)).array() + mean;
      watch_.Absorb(x, moments_, x, revision_, z_, state_, alarm_);
    }
  }

  const BlockWatch watch_;
  const Index rows_;
  RunningMoments moments_;
  BlockWatchState state_ = watch_.Fresh();
  AlarmState alarm_;
  Matrix z_;
  std::int64_t revision_ = 0;
};

constexpr Index kFirst = 1024;  // rows that are passed over, in minibatches of 64

TEST(BlockWatch, FollowsItsEquations) {
  Watched w(1, 128);
  w.Learn(kFirst);
  EXPECT_EQ(w.state_.blocks, 0);
  double mean = 0, variance = 0, s_mean = 0, s_variance = 0;
  for (int k = 0; k < 3; ++k) {
    const Matrix x = Normals(1, 128, 1, static_cast<std::uint64_t>(w.revision_ + 1));
    w.Learn(128);
    const Matrix clipped = x.cwiseMax(-5).cwiseMin(5);
    const double b = clipped.mean(), share = 1.0 / (k + 1);
    const double s = std::log1p(clipped.cwiseAbs2().mean() - b * b);
    const double d = b - mean, ds = s - s_mean;
    mean += share * d;
    variance = (1 - share) * (variance + share * d * d);
    s_mean += share * ds;
    s_variance = (1 - share) * (s_variance + share * ds * ds);
    EXPECT_NEAR(w.state_.mean[0], mean, 1e-12);
    EXPECT_NEAR(w.state_.variance[0], variance, 1e-12);
    EXPECT_NEAR(w.state_.mean[1], s_mean, 1e-12);
    EXPECT_NEAR(w.state_.variance[1], s_variance, 1e-12);
  }
  EXPECT_EQ(w.state_.blocks, 3);
  EXPECT_TRUE(w.watch_.IsSound(w.state_));
}

// However the rows are split.
TEST(BlockWatch, BlocksAreOfRowsNotOfMinibatches) {
  Watched one(2, 1), many(2, 512);
  Matrix z;
  for (std::uint64_t t = 0; t < 8; ++t) {
    const Matrix x = Normals(2, 512, 1, t);
    many.watch_.Absorb(x, many.moments_, x, 1, z, many.state_, many.alarm_);
    for (Index i = 0; i < 512; ++i) {
      const Matrix row = x.col(i);
      one.watch_.Absorb(row, one.moments_, row, 1, z, one.state_, one.alarm_);
    }
  }
  // The first are passed over up to the row, or up to the minibatch, that is the thousandth.
  EXPECT_EQ(one.state_.seen, many.state_.seen);
  EXPECT_EQ(one.state_.blocks, many.state_.blocks);
  EXPECT_EQ(one.state_.rows, 24);
  EXPECT_EQ(many.state_.rows, 0);
}

TEST(BlockWatch, SaysWhichColumnMovedAndHow) {
  Watched w(4);
  w.moments_.mean[0] = 10;
  w.moments_.m2[0] *= 4;  // a deviation of 2
  w.Learn(kFirst + 40 * 128, 10, 2);
  EXPECT_FALSE(w.alarm_.raised);
  w.Learn(128, 12, 2);
  ASSERT_TRUE(w.alarm_.raised);
  EXPECT_EQ(w.alarm_.found.column, 0);
  EXPECT_FALSE(w.alarm_.found.spread);
  EXPECT_NEAR(w.alarm_.found.before, 10, 0.1);
  EXPECT_NEAR(w.alarm_.found.after, 12, 0.6);

  Watched wide(4);
  wide.Learn(kFirst + 40 * 128);
  wide.Learn(256, 0, 3);
  ASSERT_TRUE(wide.alarm_.raised);
  EXPECT_EQ(wide.alarm_.found.column, 0);
  EXPECT_TRUE(wide.alarm_.found.spread);
  EXPECT_NEAR(wide.alarm_.found.before, 1, 0.1);
  EXPECT_NEAR(wide.alarm_.found.after, 3, 0.5);

  Watched stuck(4);
  stuck.Learn(kFirst + 40 * 128);
  stuck.Learn(256, 0.5, 0);
  EXPECT_TRUE(stuck.alarm_.raised) << "a sensor that says the same again and again";
}

// A column goes elsewhere in the midst of a block: the block that raises the alarm has seen both,
// the next one says what the column has become, and no later one says otherwise.
TEST(BlockWatch, SaysWhatAColumnHasBecomeHoweverFarItWent) {
  for (const bool spread : {false, true}) {
    Watched w(4);
    const auto learn = [&](Index rows, double by) {
      spread ? w.Learn(rows, 0, by) : w.Learn(rows, by - 1, 1);
    };
    learn(kFirst + 40 * 128 + 64, 1);
    learn(64, 1000);
    ASSERT_TRUE(w.alarm_.raised);
    const double away = spread ? 1000 : 999;
    EXPECT_EQ(w.alarm_.found.spread, spread);
    EXPECT_NEAR(w.alarm_.found.before, spread ? 1 : 0, 0.1);
    EXPECT_LT(w.alarm_.found.after, 0.85 * away);
    learn(64, 1000);
    EXPECT_LT(w.alarm_.found.after, 0.85 * away) << "the block is not at its end";
    learn(64, 1000);
    EXPECT_NEAR(w.alarm_.found.after, away, 0.2 * away);
    const double found = w.alarm_.found.after;
    learn(128, 1);
    EXPECT_EQ(w.alarm_.found.after, found);
    EXPECT_EQ(w.alarm_.times, 1);
  }
}

// What is new becomes the usual: the alarm is cleared by itself, and raised again by the way back.
TEST(BlockWatch, WhatLastsBecomesTheUsual) {
  Watched w(2);
  w.Learn(kFirst + 40 * 128);
  w.Learn(128, 2);
  EXPECT_TRUE(w.alarm_.raised);
  w.Learn(100 * 128, 2);
  EXPECT_FALSE(w.alarm_.raised);
  w.Learn(200 * 128, 2);
  EXPECT_EQ(w.alarm_.times, 1);
  w.Learn(128, 0);
  EXPECT_TRUE(w.alarm_.raised);
  EXPECT_EQ(w.alarm_.times, 2);
}

// 640,000 rows of each of ten seeds, normal or a rare event, at a promise of one in a million.
TEST(BlockWatch, RarelyErrsWhereNothingMoves) {
  std::int64_t normal = 0, rare = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Watched w(8, 1024);
    Matrix z;
    BlockWatchState state = w.watch_.Fresh();
    AlarmState alarm;
    RunningMoments moments = w.moments_;
    moments.mean.setConstant(0.002);
    moments.m2.setConstant(1e6 * 0.002 * 0.998);
    for (int t = 0; t < 625; ++t) {
      w.Learn(1024, 0, 1, 10 + seed);
      Vector u(8 * 1024);
      FillUniform(Stream{seed, static_cast<std::uint64_t>(t), 9}, u);
      const Matrix events = (u.array() < 0.002).cast<double>().reshaped(8, 1024);
      w.watch_.Absorb(events, moments, events, t + 1, z, state, alarm);
    }
    normal += w.alarm_.times;
    rare += alarm.times;
  }
  EXPECT_LE(normal, 15);
  EXPECT_LE(rare, 30);
}

TEST(BlockWatch, MissingValuesAndConstantsMoveNothing) {
  Watched w(2);
  Matrix z;
  const double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (int t = 0; t < 101; ++t) {
    Matrix x(2, 64);
    x.row(0).setConstant(kNaN);
    x.row(1).setConstant(0.25);
    w.watch_.Absorb(x, w.moments_, x, t + 1, z, w.state_, w.alarm_);
  }
  EXPECT_EQ(w.alarm_.times, 0);
  EXPECT_TRUE(w.watch_.IsSound(w.state_));
  EXPECT_NEAR(w.state_.whole[1], 0.25, 1e-15);
  for (Vector BlockWatchState::*of : {&BlockWatchState::variance, &BlockWatchState::spread}) {
    for (const double bad : {kNaN, -1.0}) {
      BlockWatchState state = w.state_;
      (state.*of)[0] = bad;
      EXPECT_FALSE(w.watch_.IsSound(state));
    }
  }
  w.state_.whole.resize(1);
  EXPECT_FALSE(w.watch_.IsSound(w.state_));
}

}  // namespace
}  // namespace prequel::block_watch_test
