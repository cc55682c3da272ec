#include "server/rpc/call_pool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <utility>

namespace prequel {
namespace {

using std::chrono::system_clock;

// A call that is worked on until it is let go.
class HeldCall {
 public:
  explicit HeldCall(CallPool& pool) {
    pool.Run(
        {},
        [this] {
          begun_.set_value();
          go_.get_future().wait();
          return absl::OkStatus();
        },
        [this](const absl::Status& status) { answer_.set_value(status); });
    begun_.get_future().wait();
  }
  absl::Status LetGo() {
    go_.set_value();
    return answer_.get_future().get();
  }

 private:
  std::promise<void> begun_, go_;
  std::promise<absl::Status> answer_;
};

// A call that does nothing, and whether it did.
struct QuickCall {
  explicit QuickCall(CallPool& pool, StillWanted wanted = {}) {
    pool.Run(
        std::move(wanted),
        [this] {
          worked = true;
          return absl::OkStatus();
        },
        [this](const absl::Status& status) { promise.set_value(status); });
  }
  absl::Status Answer() { return answer.get(); }

  bool worked = false;
  std::promise<absl::Status> promise;
  std::future<absl::Status> answer = promise.get_future();
};

TEST(CallPoolTest, RefusesWhatItHasNoRoomFor) {
  CallPool pool(1, 1, "come back later");
  HeldCall running(pool);
  QuickCall waiting(pool), refused(pool);
  EXPECT_EQ(refused.Answer(), absl::ResourceExhaustedError("come back later"));
  EXPECT_TRUE(running.LetGo().ok());
  EXPECT_TRUE(waiting.Answer().ok());
  EXPECT_TRUE(QuickCall(pool).Answer().ok());
}

TEST(CallPoolTest, WhatIsNotWantedAnyMoreIsNotDone) {
  CallPool pool(1, 2, "");
  HeldCall running(pool);
  bool gone = false;
  QuickCall waiting(pool, [&gone] {
    return gone ? absl::CancelledError("the client has gone") : absl::Status();
  });
  QuickCall behind(pool);
  gone = true;
  EXPECT_TRUE(running.LetGo().ok());
  EXPECT_TRUE(absl::IsCancelled(waiting.Answer()));
  EXPECT_FALSE(waiting.worked);
  EXPECT_TRUE(behind.Answer().ok());
  EXPECT_TRUE(behind.worked);
}

TEST(CallPoolTest, DrainAnswersWhatWasAccepted) {
  CallPool pool(1, 2, "");
  HeldCall running(pool);
  QuickCall waiting(pool);
  pool.Drain(system_clock::now());
  QuickCall late(pool);
  EXPECT_TRUE(absl::IsUnavailable(late.Answer()));
  EXPECT_TRUE(running.LetGo().ok());
  pool.Drain(system_clock::now() + std::chrono::seconds(60));
  EXPECT_EQ(waiting.answer.wait_for(std::chrono::seconds(0)), std::future_status::ready);
  EXPECT_TRUE(waiting.worked);
}

}  // namespace
}  // namespace prequel
