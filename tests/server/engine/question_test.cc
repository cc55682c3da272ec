#include "server/engine/question.h"

#include "core/config/field_error.h"
#include "server/engine/work.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel::question_test {
namespace {

using ::testing::HasSubstr;

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

class QuestionTest : public EngineFixture {
 protected:
  void SetUp() override {
    // Ten rows of one output are let through, eleven are not.
    options_.max_answer_bytes = 8 * Queries().numbers_per_example() * 10;
    Start();
    ASSERT_TRUE(Create("a").ok());
  }

  absl::StatusOr<Question> Ask(const std::string& name, Index rows, bool timed = false) {
    return engine_->Ask(name, PredictOptions(), {.count = rows, .timed = timed});
  }

  Outcome PredictThenLearn(const std::string& name, Batch batch) {
    const absl::StatusOr<Question> question = Ask(name, batch.rows());
    if (!question.ok()) return question.status();
    Delivery delivery = Request(std::move(batch));
    delivery.origin = {"p", 1};
    return Submit(*question, std::move(delivery)).get();
  }
};

TEST_F(QuestionTest, WhatIsSmallEnoughIsAnswered) {
  ASSERT_TRUE(Learn("a", MakeBatch(1, 2, 4)).ok());
  const Batch ten = MakeBatch(2, 2, 10), eleven = MakeBatch(2, 2, 11);
  const absl::StatusOr<PredictOutcome> small = Predict("a", ten);
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->revision, 1);
  EXPECT_EQ(small->predictions["mean"].cols(), 10);
  EXPECT_EQ(Ask("a", 10)->bytes, options_.max_answer_bytes);
  EXPECT_EQ(FieldOf(Ask("a", 11).status()), "batch");
  EXPECT_TRUE(absl::IsNotFound(Predict("nobody", ten).status()));
  EXPECT_TRUE(absl::IsOutOfRange(Predict("a", ten, 7).status()));
  const auto gone = [] { return absl::CancelledError("the client has gone"); };
  ASSERT_TRUE(Learn("a", MakeBatch(3, 2, 4)).ok());
  EXPECT_TRUE(absl::IsCancelled(Predict("a", ten, 1, gone).status()));
}

// What was not asked about has not been bounded.
TEST_F(QuestionTest, ItIsAnsweredOfNoMoreThanItWasAskedAbout) {
  const Question of_four = Ask("a", 4).value();
  EXPECT_TRUE(engine_->Answer(of_four, MakeBatch(1, 2, 4)).ok());
  EXPECT_TRUE(engine_->Answer(of_four, MakeBatch(1, 2, 3)).ok());
  EXPECT_EQ(FieldOf(engine_->Answer(of_four, MakeBatch(1, 2, 5)).status()), "batch");
  Batch timed = MakeBatch(1, 2, 4);
  timed.times = Vector::LinSpaced(4, 1, 4);
  EXPECT_EQ(FieldOf(engine_->Answer(of_four, timed).status()), "batch.times");
  EXPECT_TRUE(engine_->Answer(Ask("a", 4, true).value(), timed).ok());
}

TEST_F(QuestionTest, ItStaysOneToTheModelThatWasAsked) {
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  const Question question = Ask("a", 8).value();
  const PredictOutcome before = engine_->Answer(question, MakeBatch(9)).value();
  ASSERT_TRUE(engine_->DeleteModel("a").ok());
  ASSERT_TRUE(Create("a", 3).ok());
  const absl::StatusOr<PredictOutcome> after = engine_->Answer(question, MakeBatch(9));
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(after->predictions["mean"], before.predictions["mean"]);
  EXPECT_TRUE(absl::IsNotFound(Submit(question, Request(MakeBatch(2))).get().status()));
  EXPECT_EQ(Revision("a"), 0);
}

TEST_F(QuestionTest, WhatDependsOnTheModelIsAskedOfIt) {
  const auto none = [](const Learner& learner) -> absl::StatusOr<PredictOptions> {
    return absl::InvalidArgumentError(absl::StrCat(learner.num_input_columns(), " columns"));
  };
  EXPECT_THAT(std::string(engine_->Ask("a", none, {}).status().message()), HasSubstr("2 columns"));
}

// However long the request is.
TEST_F(QuestionTest, WhatTakesLongIsToldByItsCost) {
  options_.max_answer_bytes = std::int64_t{1} << 30;
  Start();
  LearnerConfig dear = LinearConfig(500);
  dear.posterior.name = "full";
  ASSERT_TRUE(engine_->CreateModel("dear", dear).ok());
  EXPECT_FALSE(Ask("a", 100)->takes_long());
  EXPECT_TRUE(Ask("a", 1'000'000)->takes_long());
  EXPECT_FALSE(Ask("dear", 1)->takes_long());
  EXPECT_TRUE(Ask("dear", 100)->takes_long());
  // One draw takes a factorisation.
  LearnerConfig drawn = LinearConfig(400);
  drawn.posterior.name = "full";
  ASSERT_TRUE(engine_->CreateModel("drawn", drawn).ok());
  EXPECT_FALSE(Ask("drawn", 1)->takes_long());
  const PredictOptions one_draw{.samples = 1};
  EXPECT_TRUE(engine_->Ask("drawn", one_draw, {.count = 1})->takes_long());
}

TEST_F(QuestionTest, WhatIsNotAskedIsNotLearnedAndStillDue) {
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
}  // namespace prequel::question_test
