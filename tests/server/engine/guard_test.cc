// No model takes the engine from the others.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/engine/work.h"
#include "server/memory/shortage.h"
#include "server/sync/background.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel::guard_test {
namespace {

// Holds the heavy turns of models that are being replayed: each that has come to its second record.
class Holder final : public EngineObserver {
 public:
  void Release() {
    MutexLock lock(mu_);
    released_ = true;
    changed_.NotifyAll();
  }
  void AwaitHeld(int count) {
    MutexLock lock(mu_);
    while (held_ < count) changed_.Wait(mu_);
  }

  void OnReplayProgress(std::string_view model, std::uint64_t records) override {
    if (model == "light" || records != 2) return;
    MutexLock lock(mu_);
    ++held_;
    changed_.NotifyAll();
    while (!released_) changed_.Wait(mu_);
  }

 private:
  Mutex mu_;
  CondVar changed_;
  int held_ ABSL_GUARDED_BY(mu_) = 0;
  bool released_ ABSL_GUARDED_BY(mu_) = false;
};

class GuardTest : public EngineFixture {
 protected:
  ~GuardTest() override {
    holder_.Release();
    engine_.reset();
  }

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
      answers.push_back(Submit(name, Request(MakeBatch(i, kSlowInputs, slow_rows_))));
    }
    return answers;
  }

  void AwaitServing(const std::string& name) {
    const auto end = std::chrono::steady_clock::now() + kEver;
    while (!engine_->GetModel(name)->problem.ok()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end) << name;
      std::this_thread::yield();
    }
  }

  // Rows that take as long to learn, by estimate, or up to twice as long.
  static int RowsFor(double seconds) {
    LearnerConfig config = LinearConfig(kSlowInputs);
    config.posterior.name = "full";
    const ModelCost cost = ModelCost::Of(config).value();
    int rows = 1;
    while (SecondsToLearn(cost, rows) < seconds) rows *= 2;
    return rows;
  }

  static constexpr int kSlowInputs = 200;
  static constexpr std::chrono::seconds kEver{30};
  const int slow_rows_ = RowsFor(0.03);
  Holder holder_;
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

TEST_F(GuardTest, SlowMinibatchesAndReplaysLeaveAThreadToTheOthers) {
  constexpr int kMany = 1000;  // long to replay, and each of them light under any sanitizer
  Start();
  ASSERT_TRUE(Create("light", 20).ok());
  for (int i = 0; i < kMany; ++i) ASSERT_TRUE(Learn("light", MakeBatch(i, 20, 4)).ok());
  const auto has_learned = [this](const char* name) {
    ASSERT_TRUE(CreateFull(name, kSlowInputs).ok());
    EXPECT_TRUE(Learn(name, MakeBatch(1, kSlowInputs, 1)).ok());
  };
  for (const char* name : {"a", "b", "c"}) {
    has_learned(name);
    EXPECT_TRUE(Learn(name, MakeBatch(2, kSlowInputs, slow_rows_)).ok());
  }
  has_learned("d");
  Stop();
  observer_ = &holder_;
  store_ = MemoryStore::Open(disk_).value();
  engine_ = Engine::Create(options_, Parts()).value();
  for (const char* name : {"light", "d"}) AwaitServing(name);
  holder_.AwaitHeld(options_.workers);  // all threads of heavy turns
  std::future<Outcome> slow = std::move(SubmitSlowly("d", 1).front());
  for (int i = 0; i < 10; ++i) {
    std::future<Outcome> light = Submit("light", Request(MakeBatch(i, 20)));
    ASSERT_EQ(light.wait_for(kEver), std::future_status::ready) << i;
  }
  EXPECT_NE(slow.wait_for(std::chrono::seconds(0)), std::future_status::ready)
      << "though it was light until now";
  holder_.Release();
  EXPECT_TRUE(slow.get().ok());
  engine_->AwaitReady();
  EXPECT_EQ(Revision("light"), kMany + 10);
  for (const char* name : {"a", "b", "c", "d"}) EXPECT_EQ(Revision(name), 2) << name;
}

TEST_F(GuardTest, WhatIsLearnedInTheBackgroundIsPublishedAndAnsweredByAnother) {
  struct Listener final : EngineObserver {
    void OnUpdate(std::string_view, Index, Duration, const absl::Status&) override {
      if (InBackground()) background = true;
    }
    std::atomic<bool> background = false;
  } listener;
  observer_ = &listener;
  Start();
  ASSERT_TRUE(CreateFull("m", kSlowInputs).ok());
  std::promise<bool> told;
  const Subscription subscription = engine_->AwaitRevision(
      "m", 1, [&told](const absl::Status&) { told.set_value(InBackground()); });
  std::vector<std::promise<bool>> answers(3);
  for (int i = 0; i < 3; ++i) {
    Submit("m", Request(MakeBatch(i, kSlowInputs, slow_rows_)),
           [this, i, &answers](const Outcome& outcome) {
             ASSERT_TRUE(outcome.ok()) << outcome.status();
             EXPECT_EQ(outcome->revision, i + 1);
             EXPECT_EQ(Revision("m"), i + 1) << "published before it is answered";
             answers[static_cast<std::size_t>(i)].set_value(InBackground());
           });
  }
  for (std::promise<bool>& answer : answers) {
    EXPECT_EQ(answer.get_future().get(), InBackground());
  }
  EXPECT_EQ(told.get_future().get(), InBackground());
  EXPECT_EQ(listener.background, InBackground());
  engine_.reset();  // before the listener goes
}

// Between the heavy turn that folds and the light one that answers, too.
TEST_F(GuardTest, AllThatWasFoldedWhenItStopsIsAnsweredAndPublished) {
  Start();
  ASSERT_TRUE(CreateFull("m", kSlowInputs).ok());
  std::vector<std::future<Outcome>> answers = SubmitSlowly("m", 30);
  answers[1].wait();
  engine_->Shutdown(TimePoint());
  std::int64_t learned = 0;
  for (auto& answer : answers) {
    const Outcome outcome = answer.get();
    if (!outcome.ok()) {
      EXPECT_TRUE(absl::IsUnknown(outcome.status()) || absl::IsUnavailable(outcome.status()));
      continue;
    }
    EXPECT_EQ(outcome->revision, ++learned);
  }
  EXPECT_GE(learned, 2);
}

// Two models that are given much to learn at once.
class SharesTest : public GuardTest {
 protected:
  SharesTest() { options_.workers = 1; }
  ~SharesTest() override { engine_.reset(); }

  // Of as many minibatches, the part that `first` has learned when `second` has learned all.
  double LearnedWhenDone(const std::string& first, const std::string& second, int count,
                         double seconds) {
    const int rows = RowsFor(seconds);
    learned_ = 0;
    std::promise<int> done;
    gate_.Close(1);
    for (int i = 0; i < count; ++i) {
      const Batch batch = MakeBatch(i, kSlowInputs, rows);
      Submit(first, Request(batch), [this](const Outcome&) { ++learned_; });
      Submit(second, Request(batch), [this, count, i, &done](const Outcome&) {
        if (i == count - 1) done.set_value(learned_);
      });
    }
    gate_.Open();
    const int learned = done.get_future().get();
    while (learned_ < count) std::this_thread::yield();
    return static_cast<double>(learned) / count;
  }

 private:
  std::atomic<int> learned_ = 0;
  Gate gate_{*disk_};
};

TEST_F(SharesTest, ModelsLearnByTheirShares) {
  Start();
  for (const char* name : {"usual", "least"}) ASSERT_TRUE(CreateFull(name, kSlowInputs).ok());
  engine_->SetShares([](std::string_view model) {
    return model == "least" ? 10 : model == "most" ? 1000 : kEvenShare;
  });
  ASSERT_TRUE(CreateFull("most", kSlowInputs).ok());
  // So short that all are light, under a sanitizer, too: of two kinds they would not share.
  EXPECT_LT(LearnedWhenDone("usual", "most", 400, 2e-4), 0.5);
  EXPECT_LT(LearnedWhenDone("least", "usual", 400, 2e-4), 0.5);
}

// Though each goes through a light turn before its next heavy one, and that one may take a while.
TEST_F(SharesTest, HeavyOnesDoTheSame) {
  struct Slow final : EngineObserver {
    void OnUpdate(std::string_view model, Index, Duration, const absl::Status&) override {
      if (model == "most") std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  } slow;
  observer_ = &slow;
  Start();
  for (const char* name : {"usual", "most"}) ASSERT_TRUE(CreateFull(name, kSlowInputs).ok());
  engine_->SetShares([](std::string_view model) { return model == "most" ? 1000 : kEvenShare; });
  EXPECT_LT(LearnedWhenDone("usual", "most", 16, 5e-3), 0.5);
  engine_.reset();  // before the observer goes
}

TEST_F(GuardTest, APastStateIsCountedForAsLongAsItIsAsked) {
  Start();
  ASSERT_TRUE(Create("m").ok());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(Learn("m", MakeBatch(i)).ok());
  const std::int64_t one = engine_->memory().used();
  std::vector<std::int64_t> between_pieces;
  const auto proceed = [&] {
    between_pieces.push_back(engine_->memory().used());
    return absl::OkStatus();
  };
  Batch query = MakeBatch(1, 2, 600);
  query.targets.resize(0, 0);
  ASSERT_TRUE(Predict("m", query, 1, {}, proceed).ok());
  ASSERT_FALSE(between_pieces.empty());
  for (const std::int64_t used : between_pieces) EXPECT_EQ(used, 2 * one);
  EXPECT_EQ(engine_->memory().used(), one);
}

TEST_F(GuardTest, ADeletedModelIsNotLearnedOn) {
  struct Listener final : EngineObserver {
    void OnUpdate(std::string_view, Index, Duration, const absl::Status&) override {
      if (++updates != 2) return;
      second.set_value();
      deleted.get_future().wait();
    }
    std::atomic<int> updates = 0;
    std::promise<void> second, deleted;
  } listener;
  observer_ = &listener;
  Start();
  ASSERT_TRUE(CreateFull("m", kSlowInputs).ok());
  std::vector<std::future<Outcome>> answers = SubmitSlowly("m", 30);
  listener.second.get_future().wait();
  EXPECT_TRUE(engine_->DeleteModel("m").ok());
  listener.deleted.set_value();
  int learned = 0;
  for (auto& answer : answers) {
    const Outcome outcome = answer.get();
    if (outcome.ok()) ++learned;
    EXPECT_TRUE(outcome.ok() || absl::IsNotFound(outcome.status())) << outcome.status();
  }
  EXPECT_EQ(learned, 2);
  engine_.reset();  // before the listener goes
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
}  // namespace prequel::guard_test
