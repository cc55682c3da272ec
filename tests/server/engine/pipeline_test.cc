// Many minibatches at once: bounds, deadlines, order, readers, deletion, shutdown.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::pipeline_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

class PipelineTest : public EngineFixture {
 protected:
  PipelineTest() { Start(); }

  // Fills the committer's hands: what is submitted from here on waits until the gate opens.
  std::future<Outcome> Stall(Gate& gate, const std::string& name) {
    gate.Close();
    std::future<Outcome> first = Submit(name, Request(MakeBatch(0)));
    gate.AwaitArrival();
    return first;
  }
};

TEST_F(PipelineTest, CommitsInGroups) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  Gate gate(*disk_);
  std::vector<std::future<Outcome>> answers;
  answers.push_back(Stall(gate, "a"));
  const int writes = disk_->writes();
  for (int i = 1; i < 50; ++i) {
    answers.push_back(Submit(i % 2 == 0 ? "a" : "b", Request(MakeBatch(i))));
  }
  gate.Open();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(disk_->writes(), writes + 2);
}

TEST_F(PipelineTest, GroupsAreBounded) {
  options_.max_group_bytes = 1;
  Start();
  ASSERT_TRUE(Create("a").ok());
  const int writes = disk_->writes();
  std::vector<std::future<Outcome>> answers;
  for (int i = 0; i < 10; ++i) answers.push_back(Submit("a", Request(MakeBatch(i))));
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(disk_->writes(), writes + 10);
}

TEST_F(PipelineTest, AnswersInTheOrderOfTheLog) {
  ASSERT_TRUE(Create("a").ok());
  std::vector<std::int64_t> revisions;  // the callbacks of one model do not overlap
  std::promise<void> all;
  for (int i = 0; i < 400; ++i) {
    Submit("a", Request(MakeBatch(i, 2, 1)), [&](Outcome outcome) {
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      revisions.push_back(outcome->revision);
      if (revisions.size() == 400) all.set_value();
    });
  }
  all.get_future().wait();
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(revisions[i], static_cast<std::int64_t>(i) + 1);
  }
}

TEST_F(PipelineTest, OneModelsQueueIsBounded) {
  options_.max_queued_batches = 4;
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  Gate gate(*disk_);
  std::vector<std::future<Outcome>> answers;
  answers.push_back(Stall(gate, "a"));
  for (int i = 1; i < 4; ++i) answers.push_back(Submit("a", Request(MakeBatch(i))));
  const absl::Status full = Learn("a", MakeBatch(4)).status();
  EXPECT_EQ(full.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("4 minibatches"));
  answers.push_back(Submit("b", Request(MakeBatch(0))));
  gate.Open();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(Learn("a", MakeBatch(4))->revision, 5);
}

TEST_F(PipelineTest, AllQueuesTogetherAreBoundedInBytes) {
  options_.max_queued_bytes = 1000;
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  Gate gate(*disk_);
  auto first = Stall(gate, "a");
  const absl::Status full = Learn("b", MakeBatch(1, 2, 64)).status();
  EXPECT_EQ(full.code(), Code::kResourceExhausted);
  EXPECT_THAT(std::string(full.message()), HasSubstr("1000 bytes"));
  gate.Open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_TRUE(Learn("b", MakeBatch(1, 2, 64)).ok()) << "alone, a large minibatch is let in";
}

TEST_F(PipelineTest, AnExpiredMinibatchIsNeverLogged) {
  ASSERT_TRUE(Create("a").ok());
  Gate gate(*disk_);
  auto first = Stall(gate, "a");
  Delivery expiring = Request(MakeBatch(1)), patient = Request(MakeBatch(2));
  expiring.deadline = clock_.In(5);
  patient.deadline = clock_.In(50);
  auto late = Submit("a", std::move(expiring)), early = Submit("a", std::move(patient));
  clock_.Advance(10);
  gate.Open();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(late.get().status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(early.get()->revision, 2);
  Start();
  EXPECT_EQ(Revision("a"), 2);
  EXPECT_EQ(engine_->GetPublished("a")->next_offset, 2u);
}

TEST_F(PipelineTest, ReadersSeeRevisionsThatNeverGoBack) {
  constexpr int kWriters = 3, kReaders = 3, kBatches = 80;
  ASSERT_TRUE(Create("a").ok());
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int r = 0; r < kReaders; ++r) {
    threads.emplace_back([&, r] {
      std::int64_t last = 0;
      while (!done) {
        const auto published = engine_->GetPublished("a");
        ASSERT_TRUE(published.ok());
        EXPECT_GE(published->revision, last);
        EXPECT_EQ(published->state->revision, published->revision);
        last = published->revision;
        const auto predicted = Predict("a", MakeBatch(r));
        ASSERT_TRUE(predicted.ok() || predicted.status().code() == Code::kFailedPrecondition)
            << predicted.status();
        if (predicted.ok()) {
          EXPECT_GE(predicted->revision, last);
        }
      }
    });
  }
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int i = 0; i < kBatches; ++i) {
        const Outcome outcome = Learn("a", MakeBatch(w * 1000 + i));
        ASSERT_TRUE(outcome.ok()) << outcome.status();
        EXPECT_GE(Revision("a"), outcome->revision) << "published before answered";
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  done = true;
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Revision("a"), kWriters * kBatches);
}

TEST_F(PipelineTest, AHeldSnapshotNeverChanges) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(0)).ok());
  const Published held = engine_->GetPublished("a").value();
  const auto learner = engine_->GetModel("a")->learner;
  const std::string before = learner->EncodeState(*held.state);
  for (int i = 1; i < 20; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i)).ok());
  EXPECT_EQ(learner->EncodeState(*held.state), before);
  Stop();
  EXPECT_EQ(learner->EncodeState(*held.state), before) << "it outlives the engine";
}

TEST_F(PipelineTest, DeletionWhileLearningLeavesNothingBehind) {
  for (int round = 0; round < 10; ++round) {
    ASSERT_TRUE(Create("a").ok());
    const LogId log = Stored("a").log;
    std::vector<std::thread> writers;
    for (int w = 0; w < 2; ++w) {
      writers.emplace_back([&] {
        for (int i = 0;; ++i) {
          const Outcome outcome = Learn("a", MakeBatch(i));
          if (outcome.ok()) continue;
          EXPECT_EQ(outcome.status().code(), Code::kNotFound) << outcome.status();
          return;
        }
      });
    }
    while (Revision("a") < 10) std::this_thread::yield();
    EXPECT_TRUE(engine_->DeleteModel("a").ok());
    for (std::thread& writer : writers) writer.join();
    ASSERT_TRUE(store_->ListModels()->empty());
    const absl::Status read = VisitLog(
        *store_, log, 0, [](const LogRecord&) { return absl::InternalError("a record is left"); });
    EXPECT_TRUE(read.ok()) << read;
  }
}

TEST_F(PipelineTest, ADeletedModelsQueueIsAnsweredNotFound) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  Gate gate(*disk_);
  auto first = Stall(gate, "b");
  auto waiting = Submit("a", Request(MakeBatch(1)));
  std::thread deleter([&] { EXPECT_TRUE(engine_->DeleteModel("a").ok()); });
  // Once one is refused on the spot, the deletion has begun and waits for the committer.
  std::vector<std::future<Outcome>> probes;
  do {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    probes.push_back(Submit("a", Request(MakeBatch(2))));
  } while (probes.back().wait_for(std::chrono::seconds(0)) != std::future_status::ready);
  gate.Open();
  deleter.join();
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(waiting.get().status().code(), Code::kNotFound);
  for (auto& probe : probes) EXPECT_EQ(probe.get().status().code(), Code::kNotFound);
}

TEST_F(PipelineTest, ShutdownDrainsTheQueues) {
  ASSERT_TRUE(Create("a").ok());
  Gate gate(*disk_);
  std::vector<std::future<Outcome>> answers;
  answers.push_back(Stall(gate, "a"));
  for (int i = 1; i < 100; ++i) answers.push_back(Submit("a", Request(MakeBatch(i))));
  std::thread opener([&] { gate.Open(); });
  engine_->Shutdown(TimePoint::max());
  opener.join();
  for (auto& answer : answers) {
    ASSERT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::ready);
    EXPECT_TRUE(answer.get().ok());
  }
  EXPECT_EQ(Learn("a", MakeBatch(0)).status().code(), Code::kUnavailable);
  EXPECT_EQ(Create("b").code(), Code::kUnavailable);
  EXPECT_EQ(engine_->DeleteModel("a").code(), Code::kUnavailable);
  EXPECT_EQ(Revision("a"), 100) << "reads go on";
  engine_->Shutdown(TimePoint::max());
  Start();
  EXPECT_EQ(Revision("a"), 100);
}

TEST_F(PipelineTest, ShutdownWithoutPatienceAnswersEverybody) {
  ASSERT_TRUE(Create("a", 16).ok());
  std::vector<std::future<Outcome>> answers;
  for (int i = 0; i < 300; ++i) answers.push_back(Submit("a", Request(MakeBatch(i, 16, 64))));
  engine_->Shutdown(TimePoint());
  std::int64_t folded = 0, logged = 0;
  for (auto& answer : answers) {
    ASSERT_EQ(answer.wait_for(std::chrono::seconds(0)), std::future_status::ready);
    const Outcome outcome = answer.get();
    folded += outcome.ok() ? 1 : 0;
    logged += outcome.ok() || outcome.status().code() == Code::kUnknown ? 1 : 0;
    if (!outcome.ok() && outcome.status().code() != Code::kUnknown) {
      EXPECT_EQ(outcome.status().code(), Code::kUnavailable) << outcome.status();
    }
  }
  EXPECT_EQ(Revision("a"), folded);
  Start();
  EXPECT_EQ(Revision("a"), logged) << "what was logged is folded in at the next start";
}

TEST_F(PipelineTest, TellsItsObserver) {
  struct Counter : EngineObserver {
    void OnRefused(std::string_view, const absl::Status&) override { ++refused; }
    void OnQueueDepth(std::size_t batches, std::size_t bytes) override {
      depth = static_cast<int>(batches);
      EXPECT_EQ(batches == 0, bytes == 0);
    }
    void OnCommit(std::size_t batches, std::size_t, Duration, const absl::Status& s) override {
      committed += s.ok() ? static_cast<int>(batches) : 0;
    }
    void OnUpdate(std::string_view, Index rows, Duration, const absl::Status&) override {
      learned += static_cast<int>(rows);
    }
    void OnReplayDone(std::string_view, const absl::Status& s) override { ready += s.ok(); }
    std::atomic<int> refused = 0, depth = 0, committed = 0, learned = 0, ready = 0;
  } counter;
  observer_ = &counter;
  Start();
  ASSERT_TRUE(Create("a").ok());
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i)).ok());
  EXPECT_FALSE(Learn("a", MakeBatch(1, 3)).ok());
  EXPECT_EQ(counter.refused, 1);
  EXPECT_EQ(counter.depth, 0);
  EXPECT_EQ(counter.committed, 10);
  EXPECT_EQ(counter.learned, 80);
  Start();
  EXPECT_EQ(counter.ready, 1);
  Stop();
}

}  // namespace
}  // namespace prequel::pipeline_test
