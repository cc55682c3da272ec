#include "server/engine/predictor.h"

#include "core/config/error.h"
#include "server/engine/work.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel {
namespace {

TEST(CheckAnswerSize, AVeryLargeAnswerIsRefused) {
  LearnerConfig config;
  config.features = {{.name = "x"}};
  config.target.num_classes = 100;
  config.likelihood.name = "categorical";
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  PredictOptions options;
  EXPECT_TRUE(CheckAnswerSize(learner->Ask(options).value(), 1000, 1 << 20).ok());
  options.queries = {{.name = "logits"}};
  EXPECT_EQ(FieldOf(CheckAnswerSize(learner->Ask(options).value(), 1000, 1 << 20)), "batch");
}

TEST(SecondsToAnswer, OfDrawsArePreparedForOnceOrForEachTime) {
  LearnerConfig config = LinearConfig(100);
  config.posterior.name = "full";
  const ModelCost cost = ModelCost::Of(config).value();
  const QuerySet queries = Learner::Create(config)->Ask({.samples = 1}).value();
  const double once = SecondsToPrepare(cost, queries), rows = SecondsOfRows(cost, 1000, queries);
  EXPECT_GT(once, 0);
  EXPECT_DOUBLE_EQ(SecondsToAnswer(cost, 1000, queries, false), once + rows);
  EXPECT_DOUBLE_EQ(SecondsToAnswer(cost, 1000, queries, true), 1000 * once + rows);
}

// The score table takes density, cdf, mean and CRPS of every target.
TEST(SecondsToAnswer, OfScoresGrowWithTheTargetsAndTheDraws) {
  const auto seconds = [](Index targets, bool draws, bool scores) {
    LearnerConfig config = LinearConfig(4);
    config.target.width = targets;
    config.posterior.name = "diagonal";
    config.rule.name = "ivon";
    if (draws) {
      const std::string predictive = "monte_carlo";
      config.rule.options = {{"predictive", predictive}, {"predictive_samples", 100.0}};
    }
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    EXPECT_TRUE(learner.ok()) << learner.status();
    const PredictOptions options{.scores = scores};
    return SecondsOfRows(ModelCost::Of(config).value(), 1, learner->Ask(options).value());
  };
  EXPECT_GE(seconds(1, false, true), seconds(1, false, false));
  EXPECT_GT(seconds(2, false, true), 1.5 * seconds(1, false, true));
  EXPECT_GT(seconds(1, true, true), 10 * seconds(1, true, false));
}

class PredictorTest : public EngineFixture {
 protected:
  void SetUp() override {
    Start();
    ASSERT_TRUE(Create("a").ok());
  }

  Outcome PredictThenLearn(const std::string& name, Batch batch) {
    LearnRequest request = Request(std::move(batch));
    request.origin = {"p", 1};
    std::promise<Outcome> promise;
    predictor().PredictThenLearn(name, std::move(request), {}, [&promise](Outcome outcome) {
      promise.set_value(std::move(outcome));
    });
    return promise.get_future().get();
  }

  // Ten rows of one output are let through, eleven are not.
  Predictor predictor() { return Predictor(*engine_, 8 * Queries().numbers_per_example() * 10); }
};

TEST_F(PredictorTest, AsksTheEngineWhatIsSmallEnough) {
  ASSERT_TRUE(Learn("a", MakeBatch(1, 2, 4)).ok());
  const Batch ten = MakeBatch(2, 2, 10), eleven = MakeBatch(2, 2, 11);
  const absl::StatusOr<PredictOutcome> small = predictor().Predict("a", ten, {});
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->revision, 1);
  EXPECT_EQ(small->predictions["mean"].cols(), 10);
  EXPECT_EQ(FieldOf(predictor().Predict("a", eleven, {}).status()), "batch");
  EXPECT_TRUE(absl::IsNotFound(predictor().Predict("nobody", ten, {}).status()));
  EXPECT_TRUE(absl::IsOutOfRange(predictor().Predict("a", ten, {}, 7).status()));
  const auto gone = [] { return absl::CancelledError("the client has gone"); };
  ASSERT_TRUE(Learn("a", MakeBatch(3, 2, 4)).ok());
  EXPECT_TRUE(absl::IsCancelled(predictor().Predict("a", ten, {}, 1, gone).status()));
}

// However long the request is.
TEST_F(PredictorTest, WhatTakesLongIsToldByItsCost) {
  LearnerConfig dear = LinearConfig(500);
  dear.posterior.name = "full";
  ASSERT_TRUE(engine_->CreateModel("dear", dear).ok());
  const Predictor predictor(*engine_, 1 << 30);
  EXPECT_FALSE(predictor.TakesLong("a", 100, {}));
  EXPECT_TRUE(predictor.TakesLong("a", 1'000'000, {}));
  EXPECT_FALSE(predictor.TakesLong("dear", 1, {}));
  EXPECT_TRUE(predictor.TakesLong("dear", 100, {}));
  // One draw takes a factorisation.
  LearnerConfig drawn = LinearConfig(400);
  drawn.posterior.name = "full";
  ASSERT_TRUE(engine_->CreateModel("drawn", drawn).ok());
  EXPECT_FALSE(predictor.TakesLong("drawn", 1, {}));
  EXPECT_TRUE(predictor.TakesLong("drawn", 1, {.samples = 1}));
  PredictOptions unknown;
  unknown.queries = {{.name = "no such query"}};
  EXPECT_FALSE(predictor.TakesLong("dear", 100, unknown));
  EXPECT_FALSE(predictor.TakesLong("nobody", 100, {}));
}

TEST_F(PredictorTest, WhatIsNotLetThroughIsNotLearnedAndStillDue) {
  const Outcome refused = PredictThenLearn("a", MakeBatch(1, 2, 11));
  EXPECT_EQ(FieldOf(refused.status()), "batch");
  EXPECT_EQ(Revision("a"), 0);
  const Outcome learned = PredictThenLearn("a", MakeBatch(1, 2, 10));
  ASSERT_TRUE(learned.ok()) << learned.status();
  EXPECT_EQ(learned->revision, 1);
  EXPECT_FALSE(learned->repeated);
  EXPECT_EQ(learned->predictions["mean"].cols(), 10);
  EXPECT_TRUE(absl::IsNotFound(PredictThenLearn("nobody", MakeBatch(1, 2, 1)).status()));
}

}  // namespace
}  // namespace prequel
