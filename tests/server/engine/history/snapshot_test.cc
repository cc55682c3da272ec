// Snapshots: the same bits as the whole log, taken beside learning.
#include <chrono>
#include <string>
#include <vector>

#include "tests/server/engine/history/snapshot_fixture.h"

namespace prequel::snapshot_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

TEST_F(SnapshotTest, ARestartGoesOnFromItBitForBit) {
  const std::string expected = Uninterrupted(100);
  disk_ = std::make_shared<MemoryDisk>();
  Start();
  ASSERT_TRUE(Create("a").ok());
  for (int from = 0; from < 100; from += 20) {
    LearnMany("a", from, from + 20, "p");
    const absl::StatusOr<StoredSnapshot> stored = Take("a");
    ASSERT_TRUE(stored.ok()) << stored.status();
    EXPECT_EQ(stored->revision, Revision("a"));
    EXPECT_EQ(stored->next_offset, static_cast<std::uint64_t>(from + 20));
    EXPECT_EQ(stored->build, "test build");
    EXPECT_EQ(stored->chunks, 1u) << "which no store writes into a file of its own";
    Start();
    EXPECT_EQ(engine_->GetPublished("a")->next_offset, static_cast<std::uint64_t>(from + 20));
  }
  EXPECT_EQ(StateBytes("a"), expected);
  EXPECT_THAT(snapshots_.lost(), IsEmpty());
  EXPECT_EQ(Records("a"), 41u) << "truncated behind the third newest";
}

TEST_F(SnapshotTest, TheLedgerIsInIt) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 10, "p");
  Delivery wide = Request(MakeBatch(10, 3));
  wide.origin = {"p", 11};
  const absl::Status refused = Submit("a", std::move(wide)).get().status();
  Delivery once = Request(MakeBatch(11));
  once.origin.id = "request";
  const Outcome learned = Submit("a", std::move(once)).get();
  ASSERT_TRUE(Take("a").ok());
  Start();
  for (std::int64_t sequence : {4, 8, 11}) {  // failed, learned, refused
    Delivery repeat = Request(MakeBatch(0));
    repeat.origin = {"p", sequence};
    const Outcome answer = Submit("a", std::move(repeat)).get();
    EXPECT_EQ(answer.ok(), sequence == 8) << answer.status();
    if (sequence == 8) {
      EXPECT_EQ(answer->revision, 7) << "one before it had failed";
    } else if (sequence == 11) {
      EXPECT_EQ(answer.status(), refused);
    }
  }
  Delivery repeat = Request(MakeBatch(11));
  repeat.origin.id = "request";
  const Outcome answer = Submit("a", std::move(repeat)).get();
  EXPECT_TRUE(answer->repeated);
  EXPECT_EQ(answer->learned.scores["nll"], learned->learned.scores["nll"]);
  EXPECT_EQ(Next("a", "p"), 12);
}

TEST_F(SnapshotTest, OneIsTakenEverySoManyMinibatchesOrBytes) {
  for (const bool bytes : {false, true}) {
    options_.snapshots.every_batches = bytes ? 0 : 10;
    options_.snapshots.every_bytes = bytes ? 2000 : 0;  // 208 bytes a minibatch
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    ASSERT_TRUE(Create("a").ok());
    const int before = snapshots_.taken();
    int learned = 0;
    for (; learned < 9; ++learned) ASSERT_TRUE(Learn("a", MakeBatch(learned)).ok());
    EXPECT_EQ(snapshots_.taken(), before);
    ASSERT_TRUE(Learn("a", MakeBatch(learned++)).ok());
    ASSERT_TRUE(snapshots_.AwaitTaken(before + 1));
    // The next one that is due may have to wait until this one is wholly done with.
    while (snapshots_.taken() < before + 3 && learned < 100'000) {
      ASSERT_TRUE(Learn("a", MakeBatch(learned++)).ok());
    }
    EXPECT_GE(snapshots_.taken(), before + 3) << learned;
    EXPECT_LE(Offsets("a").size(), 3u);
  }
}

TEST_F(SnapshotTest, NothingNewIsNotStoredAgain) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 3);
  const StoredSnapshot first = Take("a").value();
  const int writes = disk_->writes();
  EXPECT_EQ(Take("a")->next_offset, first.next_offset);
  EXPECT_EQ(disk_->writes(), writes);
}

TEST_F(SnapshotTest, ShutdownTakesOneOfWhatIsNew) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("idle").ok());
  LearnMany("a", 0, 7);
  engine_->Shutdown(clock_.In(10));
  EXPECT_EQ(snapshots_.taken(), 1);
  EXPECT_THAT(Offsets("a"), ElementsAre(7));
  Start();
  engine_->Shutdown(clock_.In(10));
  EXPECT_EQ(snapshots_.taken(), 1) << "nothing new";
}

TEST_F(SnapshotTest, ShutdownMakesUpForOneThatFailed) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 7);
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  EXPECT_FALSE(Take("a").ok());
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  ASSERT_EQ(store_->Recover(), absl::OkStatus());
  engine_->Shutdown(clock_.In(10));
  EXPECT_THAT(Offsets("a"), ElementsAre(7));
}

TEST_F(SnapshotTest, ShutdownMakesUpForOneThatStillWaited) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  LearnMany("a", 0, 7, "p");
  LearnMany("b", 0, 2);
  Gate gate(*disk_);
  gate.Close(1);
  engine_->CreateSnapshot("b", [](const absl::StatusOr<StoredSnapshot>&) {});
  gate.AwaitArrival();
  engine_->CreateSnapshot("a", [&](const absl::StatusOr<StoredSnapshot>& stored) {
    EXPECT_EQ(stored.status().code(), Code::kUnavailable);
    gate.Open();
  });
  LearnMany("a", 0, 1, "p");  // a repeat: once it is answered, the capture waits
  engine_->Shutdown(clock_.In(10));
  disk_->OnWrite(nullptr);
  EXPECT_THAT(Offsets("a"), ElementsAre(7));
}

TEST_F(SnapshotTest, SoManyAreKeptAndTheLogBehindThem) {
  options_.snapshots.keep = 2;
  Start();
  ASSERT_TRUE(Create("a").ok());
  for (int i = 0; i < 5; ++i) {
    LearnMany("a", 4 * i, 4 * i + 4);
    ASSERT_TRUE(Take("a").ok());
  }
  EXPECT_THAT(Offsets("a"), ElementsAre(16, 20));
  EXPECT_EQ(Records("a"), 5u) << "those behind the oldest, and the one before";
  options_.snapshots.full_history = true;
  Start();
  LearnMany("a", 20, 30);
  ASSERT_TRUE(Take("a").ok());
  EXPECT_EQ(Records("a"), 15u) << "nothing more is truncated";
}

// Power fails at every write that a snapshot makes, before it or when it is on disk: the log

// reaches back to the oldest snapshot there is, or to its beginning.

// The last records are gone, but the snapshot has what they led to.

// While one is being written readers read, and other models learn.

TEST_F(SnapshotTest, HoldsUpNobody) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 5);
  Gate gate(*disk_);
  gate.Close(1);
  std::promise<absl::StatusOr<StoredSnapshot>> promise;
  engine_->CreateSnapshot(
      "a", [&](const absl::StatusOr<StoredSnapshot>& stored) { promise.set_value(stored); });
  gate.AwaitArrival();
  EXPECT_EQ(Learn("a", MakeBatch(5))->revision, 5) << "one before it had failed";
  EXPECT_TRUE(Predict("a", MakeBatch(1)).ok());
  EXPECT_TRUE(Create("b").ok());
  EXPECT_TRUE(Learn("b", MakeBatch(5)).ok());
  gate.Open();
  const absl::StatusOr<StoredSnapshot> stored = promise.get_future().get();
  ASSERT_TRUE(stored.ok());
  EXPECT_EQ(stored->next_offset, 5u) << "of what it was when it was asked for";
  disk_->OnWrite(nullptr);
}

TEST_F(SnapshotTest, ASlowOneIsFinishedAtShutdownAndGivenUpAtDeletion) {
  options_.snapshots.bytes_per_second = 1;  // days, from the second chunk on
  Start();
  std::vector<std::future<absl::StatusOr<StoredSnapshot>>> stored;
  for (const std::string name : {"deleted", "kept"}) {
    ASSERT_TRUE(Create(name, 40000).ok());
    stored.push_back(std::async(std::launch::async, [this, name] { return Take(name); }));
    EXPECT_EQ(stored.back().wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
    if (name == "deleted") {
      EXPECT_TRUE(engine_->DeleteModel(name).ok());
      EXPECT_TRUE(absl::IsNotFound(stored.back().get().status()));
    }
  }
  engine_->Shutdown(clock_.Now());
  const absl::StatusOr<StoredSnapshot> kept = stored.back().get();
  ASSERT_TRUE(kept.ok()) << kept.status();
  EXPECT_GT(kept->chunks, 1u);

  const std::string expected = StateBytes("kept");
  Start();
  EXPECT_EQ(StateBytes("kept"), expected);
  EXPECT_THAT(snapshots_.lost(), IsEmpty()) << "its chunks make the state again";
}

TEST_F(SnapshotTest, ADeletedModelLeavesNone) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  LearnMany("a", 0, 5);
  ASSERT_TRUE(Take("a").ok());
  const ModelId id = Stored("a").id;
  ASSERT_TRUE(engine_->DeleteModel("a").ok());
  EXPECT_THAT(OffsetsOf(id), IsEmpty());
  EXPECT_EQ(Take("a").status().code(), Code::kNotFound);
  ASSERT_TRUE(Create("a").ok());
  EXPECT_EQ(Take("a")->revision, 0);
}

}  // namespace
}  // namespace prequel::snapshot_test
