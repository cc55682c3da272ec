// Beliefs of different drifts, weighed by what they predict.
#include "core/dynamics/adaptive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::adaptive_test {
namespace {

using Numbers = std::vector<double>;

LearnerConfig ConfigOf(ComponentConfig dynamics, const std::string& likelihood = "gaussian") {
  LearnerConfig config = PlainConfig(3, likelihood);
  config.dynamics = std::move(dynamics);
  return config;
}

LearnerState Fold(const Learner& learner, LearnerState state, int from, int to, Index rows,
                  int turn = 1 << 30) {
  LearnerState next;
  Scratch scratch;
  for (int t = from; t < to; ++t) {
    Batch batch = LinearBatch(3, rows, static_cast<std::uint64_t>(t));
    if (t >= turn) batch.targets *= -1;
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

double Nll(const LearnerState& state) { return state.evaluation.cumulative.Average()["nll"]; }

// Each belief is what a model would be that had its drift alone.
TEST(Adaptive, HoldsTheBeliefsOfEachDrift) {
  const Learner adaptive = *Learner::Create(
      ConfigOf({"adaptive", {{"rates", Numbers{0, 0.01}}, {"intercept_rates", Numbers{0, 0.5}}}}));
  const LearnerState mixed = Fold(adaptive, adaptive.Initial(), 0, 12, 5);
  ASSERT_EQ(mixed.beliefs.size(), 2u);
  const ComponentConfig drifts[] = {{"static", {}},
                                    {"inflation", {{"rate", 0.01}, {"intercept_rate", 0.5}}}};
  for (std::size_t k = 0; k < 2; ++k) {
    const Learner alone = *Learner::Create(ConfigOf(drifts[k]));
    const LearnerState state = Fold(alone, alone.Initial(), 0, 12, 5);
    const auto& want = std::get<FullGaussian>(state.beliefs[0].posterior);
    const auto& got = std::get<FullGaussian>(mixed.beliefs[k].posterior);
    EXPECT_EQ(got.mean, want.mean) << k;
    EXPECT_EQ(got.covariance, want.covariance) << k;
    EXPECT_EQ(mixed.beliefs[k].noise.rate, state.beliefs[0].noise.rate) << k;
  }
}

// Where nothing moves it is hardly worse than what cannot move; where the world turns over, far
// better, and not much worse than the best rate in hindsight.
TEST(Adaptive, FollowsOnlyAWorldThatMoves) {
  const auto nll = [](const ComponentConfig& dynamics, Index rows, int turn) {
    const Learner learner = *Learner::Create(ConfigOf(dynamics));
    return Nll(Fold(learner, learner.Initial(), 0, 2000 / static_cast<int>(rows), rows, turn));
  };
  for (const Index rows : {1, 8}) {
    const int half = 1000 / static_cast<int>(rows), never = 1 << 30;
    EXPECT_LT(nll({"adaptive", {}}, rows, never), nll({"static", {}}, rows, never) + 0.003);
    EXPECT_LT(nll({"adaptive", {}}, rows, half), nll({"static", {}}, rows, half) - 0.5);
    EXPECT_LT(nll({"adaptive", {}}, rows, half),
              nll({"inflation", {{"rate", 0.01}}}, rows, half) + 0.03);
  }
}

// The belief that stands still, alone, is scored as a model would be that has no other.
TEST(Adaptive, IsComparedWithWhatStandsStill) {
  for (const std::string likelihood : {"gaussian", "bernoulli"}) {
    const ComponentConfig drifts{"adaptive", {{"rates", Numbers{0, 0.01}}}};
    const Learner adaptive = *Learner::Create(ConfigOf(drifts, likelihood));
    const Learner still = *Learner::Create(ConfigOf({"static", {}}, likelihood));
    LearnerState mixed = adaptive.Initial(), alone = still.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 12; ++t) {
      const Batch batch = BatchFor(likelihood, 3, 5, t);
      ASSERT_TRUE(adaptive.Update(mixed, batch, scratch, next).ok());
      std::swap(mixed, next);
      ASSERT_TRUE(still.Update(alone, batch, scratch, next).ok());
      std::swap(alone, next);
    }
    const Scores got = mixed.evaluation.still.cumulative.Average();
    const Scores want = alone.evaluation.cumulative.Average();
    EXPECT_EQ(got.examples, 60);
    EXPECT_EQ(got.size(), likelihood == "gaussian" ? 3u : want.size());
    for (const NamedScore& score : got) EXPECT_NEAR(score.value, want[score.name], 1e-12);
    EXPECT_EQ(alone.evaluation.still.cumulative.weight(), 0);
    EXPECT_NE(got["nll"], Nll(mixed));
  }
}

// When the world turns over, what moves is believed, and the alarm says so; not before.
TEST(Adaptive, ShowsThatTheWorldMoves) {
  const Learner learner = *Learner::Create(ConfigOf({"adaptive", {}}));
  const LearnerState before = Fold(learner, learner.Initial(), 0, 300, 8);
  const ChangeView calm = learner.ViewChange(before);
  ASSERT_TRUE(calm.moves);
  double sum = 0;
  for (const DriftView::Belief& belief : calm.drift.beliefs) sum += belief.weight;
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_LT(calm.drift.rates.rate, 1e-3);
  EXPECT_LT(calm.drift.restart_probability, 0.1);
  EXPECT_EQ(calm.drift.run_length, 2400);
  for (const AlarmView& alarm : calm.alarms) EXPECT_EQ(alarm.state.times, 0) << alarm.cause;
  const ChangeView turned = learner.ViewChange(Fold(learner, before, 300, 360, 8, 300));
  EXPECT_EQ(turned.alarms.size(), 3U);
  EXPECT_TRUE(turned.alarms[2].state.raised) << turned.alarms[2].cause;
  EXPECT_GT(turned.alarms[2].state.revision, 300);
  EXPECT_FALSE(learner.ViewChange(before).alarms[2].state.raised);
  const Learner still = *Learner::Create(ConfigOf({"static", {}}));
  EXPECT_FALSE(still.ViewChange(still.Initial()).moves);
  EXPECT_EQ(still.ViewChange(still.Initial()).alarms.size(), 1U) << "of inputs alone";
}

TEST(Adaptive, SurvivesARestart) {
  for (const std::string likelihood : {"gaussian", "bernoulli"}) {
    const Learner learner = *Learner::Create(ConfigOf({"adaptive", {}}, likelihood));
    const auto batch_at = [&](int t) {
      return BatchFor(likelihood, 3, 6, static_cast<std::uint64_t>(t));
    };
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (int t = 0; t < 5; ++t) {
      ASSERT_TRUE(learner.Update(state, batch_at(t), scratch, next).ok());
      std::swap(state, next);
    }
    const std::string bytes = learner.EncodeState(state);
    absl::StatusOr<LearnerState> read = learner.DecodeState(bytes);
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(learner.EncodeState(*read), bytes);
    LearnerState after, after_restart;
    ASSERT_TRUE(learner.Update(state, batch_at(5), scratch, after).ok());
    ASSERT_TRUE(learner.Update(*read, batch_at(5), scratch, after_restart).ok());
    EXPECT_EQ(learner.EncodeState(after), learner.EncodeState(after_restart));
    read->mixing.weights(0, 0) += 0.01;
    EXPECT_EQ(learner.DecodeState(learner.EncodeState(*read)).status().code(),
              absl::StatusCode::kDataLoss);
    state.beliefs.pop_back();
    EXPECT_EQ(learner.DecodeState(learner.EncodeState(state)).status().code(),
              absl::StatusCode::kDataLoss);
  }
}

// A minibatch of which nothing is known leaves the weights as they are.
TEST(Adaptive, NothingKnownChangesNothing) {
  LearnerConfig config = ConfigOf({"adaptive", {}});
  config.target.allow_missing = true;
  const Learner learner = *Learner::Create(config);
  const LearnerState state = Fold(learner, learner.Initial(), 0, 5, 4);
  Batch batch = LinearBatch(3, 2, 9);
  batch.targets.setConstant(std::nan(""));
  LearnerState next;
  Scratch scratch;
  ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
  EXPECT_EQ(next.mixing.weights, state.mixing.weights);
  EXPECT_EQ(next.beliefs[1].log_weight, state.beliefs[1].log_weight);
}

TEST(Adaptive, ByDefaultHasSixBeliefsOfALinearModelAndFourOfANetwork) {
  LearnerConfig config = ConfigOf({"adaptive", {}});
  EXPECT_EQ(Learner::Create(config)->Initial().beliefs.size(), 6u);
  config.model = {"mlp", {{"hidden", Numbers{4}}}};
  const Learner network = *Learner::Create(config);
  EXPECT_EQ(network.Initial().beliefs.size(), 4u);
  EXPECT_EQ(std::get<Numbers>(network.config().dynamics.options.at("rates")),
            (Numbers{0, 0, 1e-3, 1e-3}));
}

// Each belief has a Jacobian of its own in a minibatch, which may be 1 GiB in all.
TEST(Adaptive, AMinibatchIsBoundedForAllBeliefsTogether) {
  const ComponentConfig dynamics = {"adaptive", {{"rates", Numbers{0, 1e-5, 1e-3, 1e-2, 1}}}};
  LearnerConfig config = ConfigOf(dynamics, "categorical");
  config.target.num_classes = 64;  // D = 64 · 4
  config.posterior.name = "full";
  const Batch large = BatchFor("categorical", 3, 2000, 0),
              fair = BatchFor("categorical", 3, 1600, 0);
  const Learner five = *Learner::Create(config);
  EXPECT_EQ(FieldOf(five.CheckBatch(large)), "batch.inputs.shape");
  EXPECT_TRUE(five.CheckBatch(fair).ok()) << five.CheckBatch(fair);
  config.dynamics = {"static", {}};
  EXPECT_TRUE(Learner::Create(config)->CheckBatch(large).ok());
}

// The level of the noise changes, and the weights do not: tracks follow it. What they know of the
// weights is the belief's.
TEST(Adaptive, FollowsTheNoise) {
  const auto nll = [](const ComponentConfig& dynamics, bool moves) {
    const Learner learner = *Learner::Create(ConfigOf(dynamics));
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 2000; ++t) {
      const double noise = moves && (t / 250) % 2 == 1 ? 0.05 : 0.5;
      EXPECT_TRUE(learner.Update(state, LinearBatch(3, 1, t, noise), scratch, next).ok());
      std::swap(state, next);
    }
    return Nll(state);
  };
  const ComponentConfig one = {"adaptive", {{"rates", Numbers{0}}}};
  ComponentConfig tracks = one;
  tracks.options["noise_rates"] = Numbers{0, 1e-2, 1e-1};
  EXPECT_LT(nll(tracks, true), nll(one, true) - 0.3);
  EXPECT_LT(nll(tracks, false), nll(one, false) + 0.003);
}

// One track of rate ρ against its equations, row by row, where the weights are all but known.
TEST(Adaptive, ATrackForgetsByTheRow) {
  constexpr double kRate = 0.1, kShape = 1.5;
  for (const Index rows : {1, 4}) {
    LearnerConfig config =
        ConfigOf({"adaptive", {{"rates", Numbers{0}}, {"noise_rates", Numbers{0, kRate}}}});
    config.prior.options["precision"] = 1e12;
    const Learner learner = *Learner::Create(config);
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    double shape = kShape, rate = 0.15;
    for (std::uint64_t t = 0; t < 6; ++t) {
      const Batch batch = LinearBatch(3, rows, t);
      ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
      for (Index i = 0; i < rows; ++i) {
        const double kept = kShape + std::exp(-kRate) * (shape - kShape);
        rate *= kept / shape;
        shape = kept + 0.5;
        rate += 0.5 * batch.targets(0, i) * batch.targets(0, i);
      }
      ASSERT_EQ(state.beliefs[0].tracks.size(), 1u);
      EXPECT_NEAR(state.beliefs[0].tracks[0].shape[0], shape, 1e-12) << rows;
      EXPECT_NEAR(state.beliefs[0].tracks[0].rate[0] / rate, 1, 1e-6) << rows;
    }
  }
}

// A sensor that is stuck: what a track forgets of the noise would come to nothing after 9,000 rows.
TEST(Adaptive, TargetsThatNeverVaryEndNothing) {
  const Learner learner = *Learner::Create(
      ConfigOf({"adaptive", {{"rates", Numbers{0}}, {"noise_rates", Numbers{0, 1}}}}));
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  Batch batch = LinearBatch(3, 64, 0);
  batch.targets.setZero();
  for (int t = 0; t < 60; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    ASSERT_TRUE(learned.ok()) << t << ": " << learned.status();
    std::swap(state, next);
  }
  const absl::StatusOr<LearnerState> read = learner.DecodeState(learner.EncodeState(state));
  EXPECT_TRUE(read.ok()) << read.status();
  batch.targets.setConstant(1e100);
  EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
}

// Weights that become others at once, again and again.
TEST(Adaptive, BeginsAnew) {
  const auto nll = [](double hazard) {
    const Learner learner =
        *Learner::Create(ConfigOf({"adaptive", {{"rates", Numbers{0}}, {"hazard", hazard}}}));
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 1600; ++t) {
      Batch batch = LinearBatch(3, 1, t);
      if ((t / 400) % 2 == 1) batch.targets = 3 * batch.inputs.row(0) - batch.targets;
      EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
    }
    return Nll(state);
  };
  EXPECT_LT(nll(1e-4), nll(0) - 0.5);
  EXPECT_LT(nll(1e-4), 0.9);  // of a noise of 0.5: 0.726
}

// By cost, unless it is said; and where data do not move nothing does.
TEST(Adaptive, IsTheDefault) {
  LearnerConfig config = ConfigOf({});
  const auto rates = [&] {
    const LearnerConfig resolved = Learner::Create(config)->config();
    if (resolved.dynamics.name != "adaptive") return std::size_t{1};
    return std::get<Numbers>(resolved.dynamics.options.at("rates")).size();
  };
  EXPECT_EQ(rates(), 5u);
  config.features[0].width = 290;
  EXPECT_EQ(rates(), 5u);
  config.features[0].width = 400;
  EXPECT_EQ(rates(), 2u);
  config.features[0].width = 700;
  EXPECT_EQ(rates(), 1u);
  config.features[0].width = 3;
  config.model = {"mlp", {{"hidden", Numbers{32}}}};
  EXPECT_EQ(rates(), 4u);
  config.features[0].width = 8;
  EXPECT_EQ(rates(), 3u);
  config.features[0].width = 13;
  EXPECT_EQ(rates(), 2u);
  config.model = {"mlp", {{"hidden", Numbers{3000}}}};
  config.likelihood.name = "bernoulli";
  config.posterior.name = "diagonal";
  config.features[0].width = 100;
  EXPECT_EQ(rates(), 1u);
  config = ConfigOf({}, "poisson");
  EXPECT_EQ(rates(), 5u);
  config = ConfigOf({});
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(rates(), 1u);
}

// A state of a model that named its rates before there were tracks and restarts.
TEST(Adaptive, WhatNamesItsRatesHasTheseAlone) {
  const LearnerConfig resolved =
      Learner::Create(ConfigOf({"adaptive", {{"rates", Numbers{0, 1e-3}}}}))->config();
  EXPECT_EQ(std::get<Numbers>(resolved.dynamics.options.at("noise_rates")), Numbers{0});
  EXPECT_EQ(std::get<double>(resolved.dynamics.options.at("hazard")), 0);
}

TEST(Adaptive, OptionsThatMakeNoSenseAreNamed) {
  const auto field = [](const ComponentConfig& dynamics) {
    return FieldOf(Learner::Create(ConfigOf(dynamics)).status());
  };
  EXPECT_EQ(field({"adaptive", {{"rates", Numbers{0, -1}}}}), "config.dynamics.options.rates[1]");
  EXPECT_EQ(field({"adaptive", {{"rates", Numbers(17, 0.1)}}}), "config.dynamics.options.rates");
  EXPECT_EQ(field({"adaptive", {{"rates", Numbers{0, 1}}, {"intercept_rates", Numbers{1}}}}),
            "config.dynamics.options.intercept_rates");
  EXPECT_EQ(field({"adaptive", {{"noise_rates", Numbers{0.1, 0.2}}}}),
            "config.dynamics.options.noise_rates");
  EXPECT_EQ(field({"adaptive", {{"hazard", 2.0}}}), "config.dynamics.options.hazard");
  LearnerConfig classes = ConfigOf({"adaptive", {{"noise_rates", Numbers{0, 1}}}}, "bernoulli");
  EXPECT_EQ(FieldOf(Learner::Create(classes).status()), "config.dynamics.options.noise_rates");
  LearnerConfig config = ConfigOf({"adaptive", {}});
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  config.posterior.name = "diagonal";
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
  config = ConfigOf({"adaptive", {{"rates", Numbers(5, 0.1)}}});
  config.posterior.name = "full";
  config.features[0].width = 5300;
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
}

}  // namespace
}  // namespace prequel::adaptive_test
