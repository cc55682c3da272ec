// What prequel-log finds, and what it does not mistake.
#include "server/inspect/inspection.h"

#include <array>
#include <string>
#include <vector>

#include "server/engine/records/record.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel::inspection_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class InspectionTest : public EngineFixture {
 protected:
  void SetUp() override {
    options_.snapshots.every_batches = 0;
    options_.snapshots.keep = 2;
    Start();
    ASSERT_TRUE(Create("a").ok());
    ASSERT_TRUE(Create("b").ok());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(Learn("a", MakeBatch(i)).ok());
      ASSERT_TRUE(Learn("b", MakeBatch(i)).ok());
      if (i % 8 == 7) TakeSnapshot("a");
    }
    Delivery wide = Request(MakeBatch(1, 3));
    wide.origin = {"p", 1};
    ASSERT_FALSE(Submit("a", std::move(wide)).get().ok());
    ASSERT_TRUE(engine_->Rollback("a", 12).ok());
    engine_.reset();
  }

  void TakeSnapshot(const std::string& name) {
    std::promise<void> done;
    engine_->CreateSnapshot(name,
                            [&done](const absl::StatusOr<StoredSnapshot>&) { done.set_value(); });
    done.get_future().get();
  }

  ModelId IdOf(const std::string& name) { return Stored(name).id; }
  LogId LogOf(const std::string& name) { return Stored(name).log; }

  Inspection Look(std::size_t model, bool replay) {
    const std::vector<StoredModel> models = store_->ListModels().value();
    const Inspector inspector(*store_, *store_, codec_);
    return replay ? inspector.Replay(models[model]) : inspector.Check(models[model]);
  }
};

TEST_F(InspectionTest, AGoodDirectoryHasNoProblems) {
  const Inspection a = Look(0, true), b = Look(1, true);
  EXPECT_THAT(a.problems, IsEmpty());
  EXPECT_EQ(a.model, "a");
  EXPECT_EQ(a.first_offset, 7u);
  EXPECT_EQ(a.next_offset, 22u);
  EXPECT_EQ(a.snapshots, 2);
  EXPECT_EQ(a.revision, 21) << "with the rollback, without the refusal";
  EXPECT_THAT(b.problems, IsEmpty());
  EXPECT_EQ(b.first_offset, 0u);
  EXPECT_EQ(b.revision, 20);
  EXPECT_EQ(Look(0, false).revision, -1) << "a check folds nothing";
}

TEST_F(InspectionTest, DamageIsNamed) {
  disk_->CorruptRecord(LogOf("b"), 5);
  disk_->CorruptSnapshotChunk(IdOf("a"), 16, 0);
  EXPECT_THAT(Look(1, false).problems, ElementsAre(HasSubstr("log 4, record at offset 5")));
  EXPECT_THAT(Look(0, false).problems, ElementsAre(HasSubstr("model 1, snapshot at offset 16")));
  EXPECT_EQ(Look(0, true).revision, 21) << "the one before leads there as well";
  EXPECT_EQ(Look(1, true).revision, -1);
  disk_->CorruptSnapshot(IdOf("a"), 8);
  EXPECT_THAT(Look(0, false).problems, ElementsAre(HasSubstr("offset 8"), HasSubstr("offset 16"),
                                                   HasSubstr("the model cannot be restored")));
  disk_->LoseRecord(LogOf("b"), 3);
  EXPECT_THAT(Look(1, false).problems, ElementsAre(HasSubstr("offset 3: missing")));
}

// Sound bytes that are no record of this model: a server would refuse it.
TEST_F(InspectionTest, RecordsThatCannotBeFoldedAreNamed) {
  std::array<LogRecord, 2> records;
  records[0] = {.log = LogOf("b"), .type = Rollback::kType, .payload = "no state"};
  records[1] = {.log = LogOf("a"), .type = Refusal::kType, .producer = "p", .sequence = 2};
  ASSERT_TRUE(store_->Append(records).ok());
  for (const bool replay : {false, true}) {
    EXPECT_THAT(Look(1, replay).problems, ElementsAre(HasSubstr("log 4, record at offset 20: ")));
    EXPECT_THAT(Look(0, replay).problems, ElementsAre(HasSubstr("log 2, record at offset 22: ")));
    EXPECT_EQ(Look(1, replay).revision, -1);
  }
}

TEST_F(InspectionTest, ALogThatEndsBeforeItsSnapshotIsFound) {
  for (std::uint64_t offset = 21; offset >= 14; --offset) disk_->LoseRecord(LogOf("a"), offset);
  for (const bool replay : {false, true}) {
    EXPECT_THAT(Look(0, replay).problems,
                ElementsAre(HasSubstr("snapshot at offset 16 (revision 16): the log ends before "
                                      "it, at offset 14")));
  }
  for (std::uint64_t offset = 7; offset < 14; ++offset) disk_->LoseRecord(LogOf("a"), offset);
  for (const bool replay : {false, true}) {
    EXPECT_THAT(Look(0, replay).problems, ElementsAre(HasSubstr("snapshot at offset 8 "),
                                                      HasSubstr("snapshot at offset 16 ")));
  }
}

// Sound bytes, but not what the log says: only folding it again can tell.
TEST_F(InspectionTest, ASnapshotThatTheLogDoesNotLeadToIsFound) {
  std::vector<std::string> chunks;
  const ModelId id = IdOf("a");
  StoredSnapshot liar = store_->ListSnapshots(id).value()[1];
  ASSERT_TRUE(store_
                  ->ReadSnapshot(liar,
                                 [&](std::string_view chunk) {
                                   chunks.emplace_back(chunk);
                                   return absl::OkStatus();
                                 })
                  .ok());
  liar.next_offset = 18;
  for (std::uint32_t i = 0; i < chunks.size(); ++i) {
    ASSERT_TRUE(store_->WriteSnapshotChunk(id, 18, i, chunks[i]).ok());
  }
  ASSERT_TRUE(store_->CommitSnapshot(liar, {}).ok());
  EXPECT_THAT(Look(0, false).problems, IsEmpty());
  EXPECT_THAT(Look(0, true).problems,
              ElementsAre(HasSubstr("snapshot at offset 18 (revision 16, by ")));
}

}  // namespace
}  // namespace prequel::inspection_test
