// Bytes with an origin into logs, in groups, and back to whoever sent them: without any model.
#include "server/engine/commit/committer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/server/engine/engine_fixture.h"
#include "tests/server/storage/memory_store.h"

namespace prequel::committer_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

constexpr LogId kLog{7}, kOther{8};

// Notes what comes back.
class Notebook final : public Sink {
 public:
  void Deliver(std::unique_ptr<Delivery> delivery) override {
    Note(absl::StrCat(delivery->origin.id, delivery->repeat ? " again" : " at ",
                      delivery->repeat ? "" : std::to_string(delivery->offset)));
    EXPECT_TRUE(delivery->payload.empty()) << "its memory is given back";
  }
  void Refuse(std::unique_ptr<Delivery> delivery, const absl::Status& status) override {
    Note(absl::StrCat(delivery->origin.id, " ", absl::StatusCodeToString(status.code())));
  }
  std::vector<std::string> Take() {
    MutexLock lock(mu_);
    return std::exchange(notes_, {});
  }

 private:
  void Note(std::string note) {
    MutexLock lock(mu_);
    notes_.push_back(std::move(note));
  }
  Mutex mu_;
  std::vector<std::string> notes_ ABSL_GUARDED_BY(mu_);
};

class CommitterTest : public ::testing::Test {
 protected:
  CommitterTest() : store_(MemoryStore::Open(disk_).value()) {
    committer_ = std::make_unique<Committer>(*store_, clock_, observers_, std::size_t{1} << 20);
    committer_->Open(kLog, Ledger());
  }
  ~CommitterTest() override {
    committer_.reset();
    disk_->OnWrite(nullptr);
  }

  std::unique_ptr<Delivery> MakeDelivery(const Origin& origin) {
    auto delivery = std::make_unique<Delivery>();
    delivery->sink = notebook_;
    delivery->origin = origin;
    delivery->record = Refusal();
    delivery->payload = "payload";
    return delivery;
  }
  void Append(const Origin& origin, LogId log = kLog) {
    committer_->Append(log, MakeDelivery(origin));
  }
  // What has come back once all that was appended before has.
  std::vector<std::string> Settled() {
    committer_->Close(kOther, absl::OkStatus());
    return notebook_->Take();
  }

  const std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
  const std::unique_ptr<MemoryStore> store_;
  ManualClock clock_;
  const EngineObservers observers_{{}};
  const std::shared_ptr<Notebook> notebook_ = std::make_shared<Notebook>();
  std::unique_ptr<Committer> committer_;
};

TEST_F(CommitterTest, LogsBytesWithTheirOrigin) {
  Append({"p", 1});
  Append({"q", 1});
  EXPECT_THAT(Settled(), ElementsAre("p at 0", "q at 1"));
  std::vector<std::string> records;
  const absl::Status status = VisitLog(*store_, kLog, 0, [&](const LogRecord& record) {
    records.push_back(absl::StrCat(record.type, " ", std::string(record.producer), " ",
                                   record.sequence, " ", std::string(record.payload)));
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(records, ElementsAre("2 p 1 payload", "2 q 1 payload"));
}

TEST_F(CommitterTest, ARecordSaysWhenItWasLogged) {
  const TimePoint then = clock_.Now();
  Append({"p", 1});
  (void)Settled();
  clock_.Advance(5);
  Append({"p", 2});
  (void)Settled();
  std::vector<std::int64_t> times;
  const absl::Status status = VisitLog(*store_, kLog, 0, [&](const LogRecord& record) {
    times.push_back(record.time_us);
    return absl::OkStatus();
  });
  EXPECT_TRUE(status.ok());
  EXPECT_THAT(times, ElementsAre(MicrosecondsOf(then), MicrosecondsOf(clock_.Now())));
}

TEST_F(CommitterTest, EachLogHasATailOfItsOwn) {
  committer_->Open(kOther, Ledger());
  Append({"p", 1});
  Append({"p", 1}, kOther);
  Append({"p", 2}, kOther);
  Append({"p", 3});
  EXPECT_THAT(Settled(),
              ::testing::UnorderedElementsAre("p at 0", "p at 0", "p at 1", "p OUT_OF_RANGE"));
}

TEST_F(CommitterTest, ATailGoesOnWhereItsLogAndLedgerAre) {
  Ledger ledger;
  ledger.Record({"p", 41}, {});
  LogRecord before{.log = kOther, .payload = "before"};
  ASSERT_TRUE(store_->Append({&before, 1}).ok());
  committer_->Open(kOther, ledger);
  Append({"p", 42}, kOther);
  Append({"p", 41}, kOther);
  EXPECT_THAT(Settled(), ElementsAre("p at 1", "p again"));
}

TEST_F(CommitterTest, WhatWasNotLoggedMayComeAgain) {
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  Append({"p", 1});
  EXPECT_THAT(Settled(), ElementsAre("p UNKNOWN"));
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  ASSERT_TRUE(store_->Recover().ok());
  Append({"p", 1});
  EXPECT_THAT(Settled(), ElementsAre("p at 0"));
}

// While a first group is being written all else waits, and is one group.
class CommitterGroupTest : public CommitterTest {
 protected:
  CommitterGroupTest() : gate_(*disk_) {
    gate_.Close(1);
    Append({"first", 0});
    gate_.AwaitArrival();
  }
  // Opens the gate when `committer` closes the log, which waits until the group is over.
  std::vector<std::string> OpenAndSettle() {
    gate_.Open();
    return Settled();
  }
  Gate gate_;
};

TEST_F(CommitterGroupTest, AnswersAQuestionAsOfItsPlace) {
  const auto ask = [this](std::vector<std::int64_t>* answers, TimePoint deadline) {
    committer_->AskNext(kLog, "p", deadline, {}, [answers](const absl::StatusOr<std::int64_t>& n) {
      answers->push_back(n.ok() ? *n : -static_cast<std::int64_t>(n.status().code()));
    });
  };
  std::vector<std::int64_t> answers;
  ask(&answers, TimePoint::max());
  Append({"p", 1});
  ask(&answers, TimePoint::max());
  ask(&answers, clock_.Now());
  Append({"p", 2});
  OpenAndSettle();
  EXPECT_THAT(answers, ::testing::UnorderedElementsAre(
                           1, 2, -static_cast<std::int64_t>(Code::kDeadlineExceeded)));
  ask(&answers, TimePoint::max());
  Settled();
  EXPECT_EQ(answers.back(), 3);
}

TEST_F(CommitterGroupTest, ALogThatIsClosedRefusesWhatWaitsAndWhatComes) {
  Append({"p", 1});
  std::thread closer([this] { committer_->Close(kLog, absl::NotFoundError("deleted")); });
  // Once one is refused on the spot, the closing has begun.
  do {
    Append({"q", 1});
  } while (notebook_->Take().empty());
  EXPECT_THAT(notebook_->Take(), IsEmpty()) << "the closer waits for the group";
  gate_.Open();
  closer.join();
  const std::vector<std::string> settled = notebook_->Take();
  EXPECT_THAT(settled, ::testing::Contains("first at 0"));
  EXPECT_THAT(settled, ::testing::Contains("p NOT_FOUND"));
  EXPECT_THAT(settled, ::testing::Not(::testing::Contains("p at 1")));
  committer_->Reopen(kLog);
  Append({"p", 1});
  EXPECT_THAT(Settled(), ElementsAre("p at 1"));
  committer_->Forget(kLog);
  Append({"p", 2});
  EXPECT_THAT(notebook_->Take(), ElementsAre("p NOT_FOUND"));
}

TEST_F(CommitterGroupTest, StoppingAnswersEverybody) {
  Append({"p", 1});
  std::thread stopper([this] { committer_->Stop(); });
  do {
    Append({"q", 1});
  } while (notebook_->Take().empty());
  gate_.Open();
  stopper.join();
  EXPECT_THAT(notebook_->Take(), ::testing::IsSupersetOf({"first at 0", "p UNAVAILABLE"}));
  Append({"p", 1});
  EXPECT_THAT(notebook_->Take(), ElementsAre("p UNAVAILABLE"));
}

TEST_F(CommitterGroupTest, AnExpiredEntryIsNeverLogged) {
  std::unique_ptr<Delivery> late = MakeDelivery({"late", 0}), early = MakeDelivery({"early", 0});
  late->deadline = clock_.In(5);
  early->deadline = clock_.In(50);
  committer_->Append(kLog, std::move(late));
  committer_->Append(kLog, std::move(early));
  clock_.Advance(10);
  EXPECT_THAT(OpenAndSettle(), ElementsAre("first at 0", "late DEADLINE_EXCEEDED", "early at 1"));
}

}  // namespace
}  // namespace prequel::committer_test
