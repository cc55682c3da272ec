// Every kind of record: what is encoded is read as it was, and folds to the same.
#include "server/engine/records/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "tests/server/engine/fake_world.h"

namespace prequel::record_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class RecordTest : public ::testing::Test {
 protected:
  Record MakeMinibatch(int seed) {
    Batch batch = MakeBatch(seed);
    std::string payload = TestCodec::Encode(batch);
    return Minibatch{std::move(batch), std::move(payload)};
  }

  // As the log keeps it, at the place where `fold` is.
  struct Logged {
    std::string payload;
    LogRecord record;
  };
  std::unique_ptr<Logged> Log(Record& record, const ModelFold& fold, const Origin& origin) {
    auto logged = std::make_unique<Logged>();
    logged->payload = Encode(record, *learner_);
    producer_ = origin.id;
    logged->record = {.log = LogId{5},
                      .offset = fold.current().next_offset,
                      .type = TypeOf(record),
                      .producer = producer_,
                      .sequence = static_cast<std::uint64_t>(origin.sequence),
                      .payload = logged->payload};
    return logged;
  }

  std::string BytesOf(const ModelFold& fold) {
    return learner_->EncodeState(*fold.current().state);
  }

  const TestCodec codec_{};
  const std::shared_ptr<const Learner> learner_ =
      std::make_shared<const Learner>(Learner::Create(LinearConfig(2)).value());
  Scratch scratch_;
  std::string producer_;
};

TEST_F(RecordTest, LiveAndReplayedFoldsAreTheSame) {
  ModelFold live(learner_), replayed(learner_);
  std::int64_t sequence = 0;
  const auto both = [&](Record record) {
    const Origin origin{"p", ++sequence};
    const auto logged = Log(record, live, origin);
    absl::StatusOr<Learned> answer = Fold(record, live, origin, {scratch_});
    EXPECT_TRUE(FoldRecord(logged->record, codec_, replayed, scratch_).ok());
    EXPECT_EQ(BytesOf(replayed), BytesOf(live));
    EXPECT_EQ(replayed.current().revision, live.current().revision);
    EXPECT_EQ(replayed.current().next_offset, live.current().next_offset);
    const absl::StatusOr<PastAnswer> past = replayed.part<Ledger>().AnswerTo(origin);
    EXPECT_EQ(past.status(), answer.status());
    return answer;
  };
  EXPECT_TRUE(both(MakeMinibatch(1)).ok());
  const std::string first = BytesOf(live);
  EXPECT_TRUE(both(MakeMinibatch(2)).ok());
  EXPECT_TRUE(both(MakeMinibatch(3)).ok());
  EXPECT_EQ(live.current().revision, 3);

  Batch divergent = MakeDivergentBatch();
  std::string payload = TestCodec::Encode(divergent);
  EXPECT_FALSE(both(Minibatch{std::move(divergent), std::move(payload)}).ok());
  EXPECT_EQ(live.current().revision, 3);
  EXPECT_EQ(live.current().next_offset, 4u);

  const absl::Status odd = FieldError("batch.inputs", "is odd");
  EXPECT_EQ(both(Refusal{odd}).status(), odd);
  EXPECT_EQ(live.current().revision, 3);

  const LearnerState then = learner_->DecodeState(first).value();
  EXPECT_TRUE(both(Rollback{then}).ok());
  EXPECT_EQ(live.current().revision, 4);
  LearnerState now = then;
  now.revision = 4;
  EXPECT_EQ(BytesOf(live), learner_->EncodeState(now));
}

TEST_F(RecordTest, AMinibatchAlsoPredicts) {
  ModelFold fold(learner_);
  Record record = MakeMinibatch(1);
  const QuerySet queries = Queries();
  Answer answer;
  ASSERT_TRUE(
      Fold(record, fold, {}, {.scratch = scratch_, .queries = &queries, .answer = &answer}).ok());
  EXPECT_EQ(answer["mean"].cols(), 8);
}

TEST_F(RecordTest, WhatCannotBeReadSaysWhereAndWhy) {
  const ModelFold fold(learner_);
  const auto problem = [&](std::uint8_t type, std::string_view payload) {
    absl::Status status =
        ReadRecord({.log = LogId{5}, .offset = 7, .type = type, .payload = payload}, codec_,
                   *learner_)
            .status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("log 5, record at offset 7: "));
    return status;
  };
  EXPECT_FALSE(problem(Minibatch::kType, "nonsense").ok());
  const std::string wide = TestCodec::Encode(MakeBatch(1, 3));
  EXPECT_EQ(problem(Minibatch::kType, wide).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(problem(Refusal::kType, "").code(), absl::StatusCode::kDataLoss);
  EXPECT_EQ(problem(Rollback::kType, "no state").code(), absl::StatusCode::kDataLoss);
  for (const int type : {0, 4, 255}) {
    const auto unknown = static_cast<std::uint8_t>(type);
    const absl::Status status = problem(unknown, "payload");
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr("unknown type"));
  }
}

TEST_F(RecordTest, AnErrorLeavesTheFoldAsItWas) {
  ModelFold fold(learner_);
  const std::string before = BytesOf(fold);
  EXPECT_FALSE(FoldRecord({.type = Rollback::kType, .payload = "x"}, codec_, fold, scratch_).ok());
  EXPECT_EQ(fold.current().next_offset, 0u);
  EXPECT_EQ(BytesOf(fold), before);
}

TEST_F(RecordTest, IsDescribedWithoutItsModel) {
  Record refusal = Refusal{FieldError("batch.inputs", "is odd")};
  const auto logged = Log(refusal, ModelFold(learner_), {"p", 1});
  const RecordDescription description = Describe(logged->record);
  EXPECT_EQ(description.kind, "refusal");
  EXPECT_THAT(description.details, ElementsAre(Pair("code", "INVALID_ARGUMENT"),
                                               Pair("message", "batch.inputs: is odd")));
  EXPECT_EQ(Describe({.type = Minibatch::kType}).kind, "minibatch");
  EXPECT_EQ(Describe({.type = Rollback::kType}).kind, "rollback");
  EXPECT_EQ(Describe({.type = 77}).kind, "unknown");
  EXPECT_THAT(Describe({.type = Rollback::kType}).details, IsEmpty());
}

TEST_F(RecordTest, TellsItsObservers) {
  struct Noting : EngineObserver {
    void OnUpdate(std::string_view, Index rows, Duration, const absl::Status& status) override {
      notes.push_back("update " + std::to_string(rows) + (status.ok() ? "" : " failed"));
    }
    void OnRefused(std::string_view model, const absl::Status&) override {
      notes.push_back("refused " + std::string(model));
    }
    std::vector<std::string> notes;
  } one, two;
  const EngineObservers observers({&one, &two});
  Tell(MakeMinibatch(1), observers, "m", {}, absl::OkStatus());
  Tell(MakeMinibatch(1), observers, "m", {}, absl::InternalError("diverged"));
  Tell(Refusal{}, observers, "m", {}, absl::InvalidArgumentError("odd"));
  Tell(Rollback{}, observers, "m", {}, absl::OkStatus());
  EXPECT_THAT(one.notes, ElementsAre("update 8", "update 8 failed", "refused m"));
  EXPECT_EQ(two.notes, one.notes);
}

}  // namespace
}  // namespace prequel::record_test
