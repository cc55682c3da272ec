// No model takes the engine from the others.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/memory/shortage.h"
#include "server/sync/thread_time.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel {
namespace {

class GuardTest : public EngineFixture {
 protected:
  // With a covariance of all its weights.
  absl::Status CreateFull(const std::string& name, int inputs) {
    LearnerConfig config = LinearConfig(inputs);
    config.posterior.name = "full";
    config.likelihood.options["noise"] = 1.0;
    return engine_->CreateModel(name, config).status();
  }

  // Minibatches of a model that is slow to learn, all of them under way.
  std::vector<std::future<Outcome>> SubmitSlowly(const std::string& name, int minibatches) {
    std::vector<std::future<Outcome>> answers;
    for (int i = 0; i < minibatches; ++i) {
      LearnRequest request = Request(MakeBatch(i, kSlowInputs, slow_rows_));
      std::promise<Outcome> promise;
      answers.push_back(promise.get_future());
      engine_->Submit(name, std::move(request),
                      [this, promise = std::move(promise)](Outcome outcome) mutable {
                        if (outcome.ok()) ++slow_learned_;
                        promise.set_value(std::move(outcome));
                      });
    }
    return answers;
  }

  // Rows that take long to learn, by this build on this machine.
  static int SlowRows() {
    LearnerConfig config = LinearConfig(kSlowInputs);
    config.posterior.name = "full";
    config.likelihood.options["noise"] = 1.0;
    const Learner learner = Learner::Create(config).value();
    LearnerState next = learner.Initial();
    Scratch scratch;
    int rows = 25;
    double seconds = 0;
    while (seconds < 0.03 && rows < 2000) {
      rows *= 2;
      const Batch batch = MakeBatch(1, kSlowInputs, rows);
      const double begun = ThreadSeconds();
      EXPECT_TRUE(learner.Update(learner.Initial(), batch, scratch, next).ok());
      seconds = ThreadSeconds() - begun;
    }
    return rows;
  }

  static constexpr int kSlowInputs = 200;
  const int slow_rows_ = SlowRows();
  std::atomic<int> slow_learned_ = 0;
};

TEST_F(GuardTest, ModelsHaveABudget) {
  options_.max_model_bytes = 2 << 20;
  Start();
  int made = 0;
  absl::Status status = Create("m0");
  while (status.ok()) status = Create(absl::StrCat("m", ++made));
  EXPECT_GT(made, 2);
  ASSERT_TRUE(ShortageOf(status)) << status;
  EXPECT_EQ(ShortageOf(status)->limit, 2 << 20);
  EXPECT_EQ(ShortageOf(engine_->Fork("m0", std::nullopt, "fork", nullptr).status())->budget,
            "models");
  ASSERT_TRUE(engine_->DeleteModel("m0").ok());
  EXPECT_TRUE(Create("again").ok());
  const absl::Status large = CreateFull("large", 5000);
  ASSERT_TRUE(ShortageOf(large)) << large;
  EXPECT_GT(ShortageOf(large)->wanted, std::int64_t{5000} * 5000 * 8);
}

TEST_F(GuardTest, AModelThatDoesNotFitAtTheStartLeavesTheOthersServing) {
  Start();
  ASSERT_TRUE(CreateFull("large", 1000).ok());
  ASSERT_TRUE(Create("small").ok());
  options_.max_model_bytes = 2 << 20;
  Start();
  const absl::Status problem = engine_->GetModel("large")->problem;
  EXPECT_TRUE(absl::IsResourceExhausted(problem)) << problem;
  EXPECT_TRUE(engine_->GetModel("small")->problem.ok());
  options_.max_model_bytes = std::int64_t{1} << 30;
  Start();
  EXPECT_TRUE(engine_->GetModel("large")->problem.ok());
}

TEST_F(GuardTest, SlowModelsLeaveAThreadToTheOthers) {
  Start();
  ASSERT_TRUE(Create("light").ok());
  std::vector<std::vector<std::future<Outcome>>> slow;
  for (const char* name : {"slow-a", "slow-b", "slow-c"}) {
    ASSERT_TRUE(CreateFull(name, kSlowInputs).ok());
    slow.push_back(SubmitSlowly(name, 10));
  }
  slow[0][0].wait();
  slow_learned_ = 0;
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(Learn("light", MakeBatch(i)).ok());
  EXPECT_LT(slow_learned_, 15) << "of 30";
  for (const char* name : {"slow-a", "slow-b", "slow-c"})
    EXPECT_TRUE(engine_->DeleteModel(name).ok());
}

TEST_F(GuardTest, ADeletedModelIsNotLearnedOn) {
  Start();
  ASSERT_TRUE(CreateFull("m", kSlowInputs).ok());
  std::vector<std::future<Outcome>> answers = SubmitSlowly("m", 30);
  answers[1].wait();
  ASSERT_TRUE(engine_->DeleteModel("m").ok());
  int deleted = 0;
  for (auto& answer : answers) {
    const Outcome outcome = answer.get();
    if (absl::IsNotFound(outcome.status())) ++deleted;
  }
  EXPECT_GT(deleted, 5) << "what was learned before is answered so";
}

TEST_F(GuardTest, WhatWouldTakeTooLongIsRefusedBeforeItIsLogged) {
  options_.max_update_seconds = 0.02;
  Start();
  ASSERT_TRUE(CreateFull("m", 60).ok());
  EXPECT_TRUE(Learn("m", MakeBatch(1, 60, 4)).ok());
  const Outcome outcome = Learn("m", MakeBatch(1, 60, 5000));
  EXPECT_TRUE(absl::IsInvalidArgument(outcome.status())) << outcome.status();
  EXPECT_EQ(Records("m"), 1U);
  const absl::Status status = CreateFull("large", 4000);
  EXPECT_TRUE(absl::IsInvalidArgument(status)) << status;
}

}  // namespace
}  // namespace prequel
