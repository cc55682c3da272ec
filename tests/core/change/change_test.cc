// What the weights of hypotheses say of a world that moves, and alarms that are raised and cleared
// by different thresholds.
#include "core/change/change.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "core/random/philox.h"
#include "tests/core/streams.h"

namespace prequel::change_test {
namespace {

// A belief that stands still, a slow one and a fast one, each with two tracks; and restarts.
Hypotheses Three() {
  return {.drifts = 3,
          .rates = {{0, 0}, {1e-5, 1e-5}, {1e-2, 10}},
          .noise_rates = {0, 0.1},
          .hazard = 1e-4};
}

Vector Weights() {
  Vector weights(8);  // the last is of a restart in rows to come
  weights << 0.2, 0.1, 0.1, 0, 0.3, 0.05, 0.25, 0;
  return weights;
}

RestartState RunOf(double rows) {
  RestartState state;
  state.rows = rows;
  return state;
}

TEST(Change, IsBelievedByTheWeightsOfHypotheses) {
  const BelievedChange change = ChangeBelievedBy(Three(), Weights(), RunOf(40), 100);
  EXPECT_DOUBLE_EQ(change.moving, 0.35) << "a rate of 1e-5 stands still";
  EXPECT_DOUBLE_EQ(change.late_noise, 0.15 / 0.75);
  EXPECT_DOUBLE_EQ(change.restarted, 0.25);
  EXPECT_EQ(ChangeBelievedBy(Three(), Weights(), RunOf(101), 100).restarted, 0) << "long ago";
}

TEST(Change, IsViewedWithEveryBelief) {
  const DriftView view = ViewDrift(Three(), Weights(), RunOf(40), 100, 5000);
  ASSERT_EQ(view.beliefs.size(), 4U);
  EXPECT_DOUBLE_EQ(view.beliefs[0].weight, 0.3);
  EXPECT_DOUBLE_EQ(view.beliefs[2].weight, 0.35);
  EXPECT_EQ(view.beliefs[2].rates.intercept_rate, 10);
  EXPECT_TRUE(view.beliefs[3].since_restart);
  EXPECT_DOUBLE_EQ(view.rates.rate, 0.1 * 1e-5 + 0.35 * 1e-2);
  EXPECT_DOUBLE_EQ(view.rates.intercept_rate, 0.1 * 1e-5 + 3.5);
  ASSERT_EQ(view.tracks.size(), 2U);
  EXPECT_DOUBLE_EQ(view.tracks[0].weight, 0.8);
  EXPECT_DOUBLE_EQ(view.tracks[1].weight, 0.2);
  EXPECT_TRUE(view.restarts);
  EXPECT_DOUBLE_EQ(view.restart_probability, 0.25);
  EXPECT_EQ(view.run_length, 5000);
  Vector latest = Weights() / 2;
  latest[6] += 0.5;
  EXPECT_EQ(ViewDrift(Three(), latest, RunOf(40), 100, 5000).run_length, 40);
  const double unknown = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ViewDrift(Three(), latest, RunOf(unknown), 100, 5000).run_length, 5000);
}

TEST(Change, BetweenTheThresholdsAnAlarmStaysAsItIs) {
  AlarmState alarm;
  const Thresholds at{.raise = 0.8, .clear = 0.4};
  const Finding finding{.spread = true, .before = 1, .after = 2};
  alarm.Update(0.8, at, 1, finding);
  EXPECT_FALSE(alarm.raised);
  alarm.Update(0.81, at, 2, finding);
  EXPECT_TRUE(alarm.raised);
  EXPECT_EQ(alarm.found.after, 2);
  alarm.Update(0.4, at, 3, {});
  EXPECT_TRUE(alarm.raised);
  EXPECT_EQ(alarm.revision, 2);
  alarm.Update(0.39, at, 4, {});
  EXPECT_FALSE(alarm.raised);
  EXPECT_EQ(alarm.revision, 4);
  EXPECT_EQ(alarm.found.after, 2) << "of when it was raised";
  alarm.Update(0.7, at, 5, finding);
  EXPECT_FALSE(alarm.raised);
  EXPECT_EQ(alarm.times, 1);
}

// A row that is surprising is no change; some hundred of them are, however they are split.
TEST(Change, RaisesWhatIsBelievedForAWhile) {
  for (const double rows : {1.0, 16.0}) {
    ChangeState state;
    state.unusual.raised = true;
    double seen = 0;
    while (!state.noise.raised && seen < 1000) {
      seen += rows;
      UpdateAlarms({.moving = 0.1, .late_noise = 1, .restarted = 0.2}, rows, 7, {}, state);
    }
    EXPECT_NEAR(seen, -200 * std::log(0.2), rows);
    EXPECT_FALSE(state.weights.raised);
    EXPECT_NEAR(state.weights.level, 0.2 * 0.96, 0.01) << "of the larger of the two";
    EXPECT_FALSE(state.inputs.raised);
    state.unusual.raised = false;
    UpdateAlarms({.late_noise = 1}, rows, 8, {}, state);
    EXPECT_FALSE(state.noise.raised) << "errors are as usual again";
  }
}

// A network of which all weights are drawn anew, in minibatches so large that little of what they
// tell is left for the next one.
TEST(Change, OfANetworkIsToldByTheRowsThatWereLearned) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 4}};
  config.likelihood.name = "gaussian";
  config.model = {"mlp", {{"hidden", std::vector<double>{10}}}};
  config.seed = 1;
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  const auto draw = [](Index rows, Index cols, std::uint64_t step, std::uint32_t lane) {
    Matrix out(rows, cols);
    FillNormal(Stream{1, step, lane}, out);
    return out;
  };
  for (std::uint64_t t = 0; t < 70; ++t) {
    const std::uint64_t world = t < 64 ? 1 : 2;
    Batch batch;
    batch.inputs = draw(4, 64, t, 1);
    Matrix hidden = draw(10, 4, world, 21) * batch.inputs;
    hidden.colwise() += Vector(draw(10, 1, world, 22));
    batch.targets = 2 / std::sqrt(10.0) * draw(1, 10, world, 23) * hidden.array().tanh().matrix();
    batch.targets += 0.5 * draw(1, 64, t, 2);
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
    EXPECT_TRUE(t >= 64 || state.change.weights.times == 0) << t;
  }
  EXPECT_TRUE(state.change.weights.raised) << state.change.weights.level;
}

// Whatever the tails of the noise are like; and where the weights have moved it is not the noise.
TEST(Change, NoiseHasChangedWhereErrorsAreUnusual) {
  const BlockWatch watch = ErrorWatch(1);
  for (const double dof : {3.0, 1e6}) {
    ChangeState state;
    state.errors = watch.Fresh();
    std::int64_t revision = 0;
    const auto learn = [&](int batches, double scale) {
      for (int t = 0; t < batches && !state.noise.raised; ++t) {
        const auto step = static_cast<std::uint64_t>(++revision);
        Matrix z = scale * Normals(1, 64, 5, step);
        const Matrix squares = Normals(3, 64, 6, step).cwiseAbs2().colwise().mean();
        if (dof == 3) z = z.cwiseQuotient(squares.cwiseSqrt()) / std::sqrt(3.0);
        z = z.unaryExpr(&WatchedError);
        watch.Absorb(z, revision, state.errors, state.unusual);
        UpdateAlarms({.late_noise = 0.3}, 64, revision, {}, state);
      }
    };
    learn(2000, 1);
    EXPECT_FALSE(state.noise.raised) << dof;
    learn(8, 2);
    EXPECT_TRUE(state.noise.raised) << dof;
    ChangeState moved;
    moved.unusual.raised = true;
    UpdateAlarms({.moving = 0.7}, 10'000, 1, {}, moved);
    EXPECT_FALSE(moved.noise.raised);
  }
}

TEST(Change, ErrorsAreWatchedWithinBounds) {
  EXPECT_EQ(WatchedError(0), 0);
  EXPECT_NEAR(WatchedError(-1), -std::sqrt(std::log(2)), 1e-15);
  EXPECT_EQ(WatchedError(1e300), 2);
  EXPECT_EQ(std::abs(WatchedError(std::numeric_limits<double>::quiet_NaN())), 2);
}

TEST(Change, AnAlarmThatCannotBeIsUnsound) {
  AlarmState alarm;
  EXPECT_TRUE(alarm.IsSound(2, 0));
  alarm.Update(1, {.raise = 0.5}, 3, {.column = 1, .before = 1, .after = 2});
  EXPECT_TRUE(alarm.IsSound(2, 3));
  EXPECT_FALSE(alarm.IsSound(1, 3)) << "there is no such column";
  EXPECT_FALSE(alarm.IsSound(2, 2)) << "it is of the future";
  alarm.level = 1.5;
  EXPECT_FALSE(alarm.IsSound(2, 3));
  alarm.level = 1;
  alarm.found.after = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(alarm.IsSound(2, 3));
}

}  // namespace
}  // namespace prequel::change_test
