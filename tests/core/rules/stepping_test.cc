// What holds for every stepping rule: modes, refusals, divergence, the state in the snapshot.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/codec/state_codec.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::stepping_test {
namespace {

using OptionMap = std::map<std::string, OptionValue>;

LearnerConfig ConfigOf(const std::string& rule, OptionMap options) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.model = {"mlp", {{"hidden", std::vector<double>{8}}}};
  config.rule = {rule, std::move(options)};
  return config;
}

OptionMap Dataset(OptionMap options) {
  options["mode"] = std::string("dataset");
  options["dataset_size"] = 640.0;
  return options;
}

TEST(Stepping, RefusesWhatMakesNoSenseByFieldValueAndRange) {
  struct Refusal {
    std::string rule;
    OptionMap options;
    std::string field, says;
  };
  const std::vector<Refusal> refusals = {
      {"adam", {}, "dataset_size", "a number in [1, 1e15]"},
      {"adam", {{"mode", std::string("recursive")}}, "mode", "got \"recursive\""},
      {"adam", Dataset({{"alpha", 0.0}}), "alpha", "(0, 10], got 0"},
      {"adam", Dataset({{"beta2", 1.0}}), "beta2", "got 1"},
      {"adam", Dataset({{"epsilon", -1.0}}), "epsilon", "got -1"},
      {"ivon", {{"mode", std::string("both")}}, "mode", "got \"both\""},
      {"ivon", {{"dataset_size", 10.0}}, "dataset_size", "set mode to \"dataset\""},
      {"ivon", {{"initial_curvature", 1.0}}, "initial_curvature", "leave it out"},
      {"ivon", {{"passes", 0.0}}, "passes", "[1, 1000], got 0"},
      {"ivon", Dataset({{"passes", 2.0}}), "passes", "sent by the producer"},
      {"ivon", Dataset({{"clip_radius", 0.0}}), "clip_radius", "got 0"},
      {"ivon", {{"schedule", std::string("cosine")}}, "schedule", "leave it out"},
      {"bbb", {{"schedule", std::string("constant")}}, "schedule", "leave it out"},
      {"ivon", Dataset({{"samples", 1.5}}), "samples", "got 1.5"},
      {"ivon", Dataset({{"predictive", std::string("best")}}), "predictive", "got \"best\""},
      {"von", {{"beta", 1.5}}, "beta", "(0, 1], got 1.5"},
      {"von", {{"expectation", std::string("exact")}}, "expectation", "got \"exact\""},
      {"iblr", {{"curvature", std::string("full")}}, "curvature", "got \"full\""},
      {"vogn", {{"damping", 0.1}}, "damping", "leave it out"},
      {"vogn", Dataset({{"augmentation", 0.5}}), "augmentation", "got 0.5"},
      {"vogn", Dataset({{"schedule", std::string("cosine")}}), "schedule_steps", "[1, 1e12]"},
      {"vogn", Dataset({{"schedule", std::string("multi_step")}}), "milestones", "is needed"},
      {"ogn", Dataset({{"samples", 2.0}}), "samples", "is not an option of ogn"},
      {"vadam", {{"mode", std::string("recursive")}}, "mode", "do not add up"},
      {"sgd", Dataset({{"momentum", 1.0}}), "momentum", "got 1"},
      {"bbb", {{"samples", 0.0}}, "samples", "got 0"},
      {"natural_gradient_svi", {{"alpha", 2.0}}, "alpha", "(0, 1], got 2"},
      {"rvga", Dataset({}), "mode", "got \"dataset\""}};
  for (const Refusal& refusal : refusals) {
    const absl::StatusOr<Learner> learner =
        Learner::Create(ConfigOf(refusal.rule, refusal.options));
    ASSERT_FALSE(learner.ok()) << refusal.rule << " " << refusal.field;
    EXPECT_EQ(FieldOf(learner.status()), "config.rule.options." + refusal.field);
    EXPECT_NE(learner.status().message().find(refusal.says), absl::string_view::npos)
        << learner.status();
  }
}

TEST(Stepping, RefusesAPosteriorItCannotUpdateAndSaysWhatWouldDo) {
  struct Pair {
    std::string rule, posterior, says;
    OptionMap options;
  };
  const std::vector<Pair> pairs = {{"ivon", "full", "use posterior \"diagonal\"", {}},
                                   {"ivon", "point", "use posterior \"diagonal\"", {}},
                                   {"adam", "diagonal", "use posterior \"point\"", Dataset({})},
                                   {"rvga", "point", "use posterior \"full\" or \"diagonal\"", {}},
                                   {"conjugate", "diagonal", "use posterior \"full\"", {}}};
  for (const Pair& pair : pairs) {
    LearnerConfig config = ConfigOf(pair.rule, pair.options);
    config.posterior.name = pair.posterior;
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    ASSERT_FALSE(learner.ok()) << pair.rule << " " << pair.posterior;
    EXPECT_EQ(FieldOf(learner.status()), "config.rule");
    EXPECT_NE(learner.status().message().find(pair.says), absl::string_view::npos)
        << learner.status();
  }
}

TEST(Stepping, PosteriorIsTheOneTheRuleUpdatesUnlessNamed) {
  EXPECT_EQ(Learner::Create(ConfigOf("adam", Dataset({})))->config().posterior.name, "point");
  EXPECT_EQ(Learner::Create(ConfigOf("ivon", {}))->config().posterior.name, "diagonal");
  EXPECT_EQ(Learner::Create(ConfigOf("rvga", {}))->config().posterior.name, "full");
}

TEST(Stepping, ResolvedOptionsMakeTheSameModel) {
  for (const OptionMap& options : {OptionMap{}, Dataset({}), Dataset({{"clip_radius", 1.0}})}) {
    const absl::StatusOr<Learner> learner = Learner::Create(ConfigOf("ivon", options));
    ASSERT_TRUE(learner.ok()) << learner.status();
    const absl::StatusOr<Learner> again = Learner::Create(learner->config());
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(learner->config(), again->config());
  }
}

// The mean after `steps` minibatches.
Vector MeanAfter(const LearnerConfig& config, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < steps; ++t) {
    const Batch batch = MoonsBatch(1, static_cast<std::uint64_t>(t));
    EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
  }
  return std::visit([](const auto& q) -> Vector { return q.mean; }, BeliefOf(state).posterior);
}

TEST(Stepping, AScheduleShortensTheStep) {
  const std::string multi_step = "multi_step", cosine = "cosine";
  for (const char* rule : {"sgd", "adam", "vogn", "vadam", "ivon", "bbb"}) {
    const LearnerConfig constant = ConfigOf(rule, Dataset({}));
    const LearnerConfig quartered = ConfigOf(rule, Dataset({{"schedule", multi_step},
                                                            {"milestones", std::vector<double>{3}},
                                                            {"decay", 0.25}}));
    const LearnerConfig annealed =
        ConfigOf(rule, Dataset({{"schedule", cosine}, {"schedule_steps", 3.0}}));
    const Vector before = MeanAfter(constant, 3);
    EXPECT_EQ(MeanAfter(quartered, 3), before) << rule;
    const Vector step = MeanAfter(constant, 4) - before;
    EXPECT_GT(step.norm(), 0) << rule;
    EXPECT_LT((MeanAfter(quartered, 4) - before - 0.25 * step).norm(), 1e-12 * before.norm())
        << rule;
    EXPECT_EQ(MeanAfter(annealed, 4), MeanAfter(annealed, 3)) << rule;
    EXPECT_NE(MeanAfter(annealed, 3), MeanAfter(annealed, 2)) << rule;
  }
}

// A step of a size that breaks the posterior is rejected, with `advice`; the model learns on.
void ExpectRejection(LearnerConfig config, const std::string& advice) {
  config.likelihood.name = "gaussian";
  config.likelihood.options["noise"] = 0.25;
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 3; ++t) {
    ASSERT_TRUE(learner.Update(state, LinearBatch(2, 64, t), scratch, next).ok());
    std::swap(state, next);
  }
  const std::map<double, std::string> wilder = {{1e6, "moved the posterior by"},
                                                {1e306, "is not finite"}};
  for (const auto& [scale, how] : wilder) {
    const std::string before = learner.EncodeState(state);
    Batch wild = LinearBatch(2, 64, 9);
    wild.targets *= scale;
    const absl::StatusOr<Learned> learned = learner.Update(state, wild, scratch, next);
    ASSERT_FALSE(learned.ok());
    EXPECT_NE(learned.status().message().find(how), absl::string_view::npos) << learned.status();
    EXPECT_NE(learned.status().message().find(advice), absl::string_view::npos) << learned.status();
    EXPECT_EQ(learner.EncodeState(state), before);
    const absl::StatusOr<Learned> after =
        learner.Update(state, LinearBatch(2, 64, 10), scratch, next);
    EXPECT_TRUE(after.ok()) << after.status();
  }
}

TEST(Stepping, RejectsADivergentStepAndLearnsOn) {
  ExpectRejection(
      ConfigOf("ivon", Dataset({{"beta2", 0.9999999}, {"alpha", 1e-3}, {"rescale", false}})),
      "smaller alpha");
  LearnerConfig full = ConfigOf("von", Dataset({}));
  full.posterior.name = "full";
  ExpectRejection(full, "smaller beta");
}

TEST(Stepping, DecodesOnlyASoundState) {
  const absl::StatusOr<Problem> problem = Problem::Make(ConfigOf("adam", Dataset({})));
  ASSERT_TRUE(problem.ok());
  const Learner learner = *Learner::Create(ConfigOf("adam", Dataset({})));
  LearnerState state;
  Scratch scratch;
  ASSERT_TRUE(learner.Update(learner.Initial(), MoonsBatch(1, 0), scratch, state).ok());
  ASSERT_TRUE(DecodeState(*problem, EncodeState(*problem, state)).ok());
  const auto refused = [&](const auto& damage) {
    LearnerState damaged = state;
    damage(StateOf<Adam>(BeliefOf(damaged).rule));
    return DecodeState(*problem, EncodeState(*problem, damaged)).status().code();
  };
  EXPECT_EQ(refused([](Adam::State& s) { s.momentum.conservativeResize(3); }),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(refused([](Adam::State& s) { s.squares[2] = -1; }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(refused([](Adam::State& s) { s.squares[2] = NAN; }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(refused([](Adam::State& s) { s.steps = 0; }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(refused([](Adam::State& s) { s.steps = -1; }), absl::StatusCode::kDataLoss);
}

// However often the data are pushed, learned noise knows them once.
TEST(Stepping, LearnedNoiseCountsADataSetOnce) {
  LearnerConfig config = ConfigOf("adam", Dataset({{"alpha", 0.05}}));
  config.model = {"linear", {}};
  config.likelihood = {"gaussian", {{"noise", std::string("learned")}}};
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 400; ++t) {
    ASSERT_TRUE(learner.Update(state, LinearBatch(2, 64, t % 10), scratch, next).ok());
    std::swap(state, next);
  }
  EXPECT_NEAR(BeliefOf(state).noise.shape[0], 1.5 + 320, 1e-6);
  EXPECT_NEAR(BeliefOf(state).noise.rate[0] / BeliefOf(state).noise.shape[0], 0.25,
              0.03);  // 0.5² of LinearBatch
}

}  // namespace
}  // namespace prequel::stepping_test
