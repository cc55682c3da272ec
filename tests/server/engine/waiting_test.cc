// Read your writes: whoever waits for a revision of a model is told when it is there, or never will
// be.
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::waiting_test {
namespace {

using Code = absl::StatusCode;

class WaitingTest : public EngineFixture {
 protected:
  WaitingTest() { Start(); }

  std::future<absl::Status> Await(const std::string& name, std::int64_t revision) {
    auto promise = std::make_shared<std::promise<absl::Status>>();
    std::future<absl::Status> future = promise->get_future();
    engine_->AwaitRevision(name, revision,
                           [promise](const absl::Status& status) { promise->set_value(status); });
    return future;
  }
  static bool IsThere(const std::future<absl::Status>& future) {
    return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
};

TEST_F(WaitingTest, IsOverWithTheRevisionThatIsWaitedFor) {
  ASSERT_TRUE(Create("a").ok());
  EXPECT_TRUE(Await("a", 0).get().ok());
  std::future<absl::Status> second = Await("a", 2), third = Await("a", 3);
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  EXPECT_FALSE(IsThere(second));
  ASSERT_TRUE(Learn("a", MakeBatch(2)).ok());
  EXPECT_TRUE(second.get().ok());
  EXPECT_FALSE(Learn("a", MakeDivergentBatch()).ok());
  EXPECT_FALSE(IsThere(third)) << "a minibatch that fails is no revision";
  ASSERT_TRUE(engine_->Rollback("a", 1).ok());
  EXPECT_TRUE(third.get().ok()) << "a rollback is one";
}

TEST_F(WaitingTest, FindsWhatItWaitedForPublished) {
  ASSERT_TRUE(Create("a").ok());
  std::vector<std::future<std::int64_t>> found;
  for (std::int64_t revision = 1; revision <= 50; ++revision) {
    auto promise = std::make_shared<std::promise<std::int64_t>>();
    found.push_back(promise->get_future());
    engine_->AwaitRevision("a", revision, [this, promise](const absl::Status& status) {
      promise->set_value(status.ok() ? Revision("a") : -1);
    });
  }
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i)).ok());
  for (std::int64_t revision = 1; revision <= 50; ++revision) {
    EXPECT_GE(found[static_cast<std::size_t>(revision - 1)].get(), revision);
  }
}

TEST_F(WaitingTest, IsOverWhenTheModelIsDeletedOrNeverWas) {
  EXPECT_EQ(Await("a", 0).get().code(), Code::kNotFound);
  ASSERT_TRUE(Create("a").ok());
  std::future<absl::Status> waiting = Await("a", 1);
  ASSERT_TRUE(engine_->DeleteModel("a").ok());
  EXPECT_EQ(waiting.get().code(), Code::kNotFound);
}

TEST_F(WaitingTest, GoesOnWhenADeletionFails) {
  ASSERT_TRUE(Create("a").ok());
  std::future<absl::Status> waiting = Await("a", 1);
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  ASSERT_FALSE(engine_->DeleteModel("a").ok());
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  ASSERT_TRUE(store_->Recover().ok());
  EXPECT_FALSE(IsThere(waiting));
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  EXPECT_TRUE(waiting.get().ok());
}

// What is accepted is folded first: whoever waits for it is served.
TEST_F(WaitingTest, IsOverWhenTheEngineStops) {
  ASSERT_TRUE(Create("a").ok());
  Gate gate(*disk_);
  gate.Close();
  std::future<Outcome> learned = Submit("a", Request(MakeBatch(1)));
  gate.AwaitArrival();
  std::future<absl::Status> first = Await("a", 1), second = Await("a", 2);
  std::thread opener([&] { gate.Open(); });
  engine_->Shutdown(TimePoint::max());
  opener.join();
  EXPECT_TRUE(learned.get().ok());
  EXPECT_TRUE(first.get().ok());
  EXPECT_EQ(second.get().code(), Code::kUnavailable);
  EXPECT_EQ(Await("a", 2).get().code(), Code::kUnavailable);
  EXPECT_TRUE(Await("a", 1).get().ok()) << "reads go on";
  disk_->OnWrite(nullptr);
}

TEST_F(WaitingTest, CanBeCalledOff) {
  ASSERT_TRUE(Create("a").ok());
  bool told = false;
  Subscription subscription =
      engine_->AwaitRevision("a", 1, [&told](const absl::Status&) { told = true; });
  EXPECT_TRUE(subscription.Cancel());
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  EXPECT_FALSE(told);
}

TEST_F(WaitingTest, AModelThatDoesNotServeSaysWhy) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  const LogId log = Stored("a").log;
  engine_->Shutdown(clock_.Now());
  Stop();
  disk_->CorruptRecord(log, 0);
  Start();
  EXPECT_EQ(Await("a", 1).get().code(), Code::kDataLoss);
}

}  // namespace
}  // namespace prequel::waiting_test
