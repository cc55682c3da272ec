// What was acknowledged is there after a crash; a failed write is never acknowledged.
#include <atomic>
#include <thread>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::durability_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

class DurabilityTest : public EngineFixture {
 protected:
  // Learns from several threads until the disk has crashed after some `writes`; returns the
  // highest acknowledged revision of each model.
  std::vector<std::int64_t> LearnUntilCrash(int models, int writes) {
    std::atomic<int> left = writes;
    disk_->OnWrite([this, &left] {
      if (--left == 0) disk_->Crash();
    });
    std::vector<std::int64_t> acknowledged(static_cast<std::size_t>(models), 0);
    std::vector<std::thread> threads;
    for (int m = 0; m < models; ++m) {
      threads.emplace_back([&, m] {
        const std::string name = "m" + std::to_string(m);
        std::int64_t& revision = acknowledged[static_cast<std::size_t>(m)];
        for (int i = 0;; ++i) {
          const Outcome outcome = Learn(name, MakeBatch(i));
          if (!outcome.ok()) return;
          EXPECT_EQ(outcome->revision, revision + 1);
          revision = outcome->revision;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    disk_->OnWrite(nullptr);
    return acknowledged;
  }
};

TEST_F(DurabilityTest, EveryAcknowledgedMinibatchSurvivesACrash) {
  constexpr int kModels = 3;
  for (int round = 1; round <= 20; ++round) {
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    for (int m = 0; m < kModels; ++m) ASSERT_TRUE(Create("m" + std::to_string(m)).ok());
    const std::vector<std::int64_t> acknowledged = LearnUntilCrash(kModels, 7 * round);
    Start();
    for (int m = 0; m < kModels; ++m) {
      const std::string name = "m" + std::to_string(m);
      const std::int64_t revision = Revision(name);
      EXPECT_GE(revision, acknowledged[static_cast<std::size_t>(m)]);
      const Learner learner = Learner::Create(LinearConfig(2)).value();
      LearnerState state = learner.Initial();
      Scratch scratch;
      for (int i = 0; i < revision; ++i) {
        LearnerState next = learner.Initial();
        ASSERT_TRUE(learner.Update(state, MakeBatch(i), scratch, next).ok());
        state = std::move(next);
      }
      EXPECT_EQ(StateBytes(name), learner.EncodeState(state));
    }
  }
}

// The test above has teeth: without syncs the same crash loses what was acknowledged.
TEST_F(DurabilityTest, WithoutSyncsACrashLosesMinibatches) {
  store_options_.sync = false;
  Start();
  ASSERT_TRUE(Create("m0").ok());
  const std::vector<std::int64_t> acknowledged = LearnUntilCrash(1, 20);
  EXPECT_GT(acknowledged[0], 0);
  Start();
  EXPECT_LT(Revision("m0"), acknowledged[0]);
}

TEST_F(DurabilityTest, AfterAFailedWriteNothingIsAcknowledgedAndReadsGoOn) {
  for (const MemoryDisk::Failure failure :
       {MemoryDisk::Failure::kWrite, MemoryDisk::Failure::kSync, MemoryDisk::Failure::kFull}) {
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    ASSERT_TRUE(Create("a").ok());
    ASSERT_TRUE(Learn("a", MakeBatch(0)).ok());
    const std::string before = StateBytes("a");
    disk_->FailWrites(failure);
    EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnknown);
    disk_->FailWrites(MemoryDisk::Failure::kNone);

    const absl::Status refused = Learn("a", MakeBatch(1)).status();
    EXPECT_EQ(refused.code(), Code::kUnavailable);
    EXPECT_THAT(std::string(refused.message()), HasSubstr("injected"));
    EXPECT_EQ(Create("b").code(), Code::kUnavailable);
    EXPECT_EQ(engine_->DeleteModel("a").code(), Code::kUnavailable);
    EXPECT_FALSE(store_->health().ok());
    EXPECT_EQ(StateBytes("a"), before) << "what is not durable is not published";
    EXPECT_TRUE(Predict("a", MakeBatch(1)).ok());
    EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnavailable)
        << "a failed deletion leaves the model as it was";

    Start();
    EXPECT_TRUE(store_->health().ok());
    const bool kept = failure == MemoryDisk::Failure::kSync;  // without a crash the bytes are there
    EXPECT_EQ(Revision("a"), kept ? 2 : 1);
    EXPECT_EQ(Learn("a", MakeBatch(2))->revision, kept ? 3 : 2);
  }
}

TEST_F(DurabilityTest, AFailedSyncMayLoseWhatWasNotAcknowledgedOnly) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(0)).ok());
  disk_->FailWrites(MemoryDisk::Failure::kSync);
  ASSERT_FALSE(Learn("a", MakeBatch(1)).ok());
  disk_->Crash();
  Start();
  EXPECT_EQ(Revision("a"), 1);
  EXPECT_EQ(Learn("a", MakeBatch(1))->revision, 2);
}

TEST_F(DurabilityTest, AFullDiskIsGotOverWithoutARestart) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(0)).ok());
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnknown);
  EXPECT_EQ(store_->Recover().code(), Code::kResourceExhausted);
  EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnavailable);
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  EXPECT_TRUE(store_->Recover().ok());
  EXPECT_TRUE(store_->health().ok());
  EXPECT_EQ(Learn("a", MakeBatch(2))->revision, 2);
  EXPECT_TRUE(Create("b").ok());
  const std::string state = StateBytes("a");
  Start();
  EXPECT_EQ(Revision("a"), 2);
  EXPECT_EQ(StateBytes("a"), state);
}

TEST_F(DurabilityTest, OtherFailuresNeedARestart) {
  for (const MemoryDisk::Failure failure :
       {MemoryDisk::Failure::kWrite, MemoryDisk::Failure::kSync}) {
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    ASSERT_TRUE(Create("a").ok());
    disk_->FailWrites(failure);
    EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnknown);
    disk_->FailWrites(MemoryDisk::Failure::kNone);
    EXPECT_EQ(store_->Recover().code(), Code::kUnknown);
    EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kUnavailable);
  }
}

TEST_F(DurabilityTest, AFailedCreationMakesNoModel) {
  Start();
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  EXPECT_EQ(Create("a").code(), Code::kResourceExhausted);
  EXPECT_EQ(engine_->GetModel("a").status().code(), Code::kNotFound);
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  Start();
  EXPECT_EQ(engine_->ListModels("", 10).size(), 0u);
  EXPECT_TRUE(Create("a").ok());
}

TEST_F(DurabilityTest, TwoEnginesCannotShareADisk) {
  Start();
  EXPECT_EQ(MemoryStore::Open(disk_).status().code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace prequel::durability_test
