#include "server/rpc/call_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/sync/background.h"
#include "server/sync/thread_time.h"

namespace prequel {
namespace {

using std::chrono::system_clock;

// A call that is worked on until it is let go.
class HeldCall {
 public:
  explicit HeldCall(CallPool& pool) {
    pool.Run(
        {"held", ""}, {},
        [this](const StillWanted&) {
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
  explicit QuickCall(CallPool& pool, StillWanted wanted = {}, const char* who = "quick",
                     const char* about = "") {
    pool.Run(
        {who, about}, std::move(wanted),
        [this](const StillWanted&) {
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

// A call in pieces, until it is let go.
class LongCall {
 public:
  LongCall(CallPool& pool, const std::string& who, StillWanted wanted = {},
           const std::string& about = "") {
    pool.Run(
        {who, about}, std::move(wanted),
        [this](const StillWanted& proceed) {
          absl::Status status;
          while (status.ok() && !stop_) {
            const double end = ThreadSeconds() + 6e-3;
            while (ThreadSeconds() < end) continue;
            status = proceed();
          }
          return status;
        },
        [this](const absl::Status& status) { answer_.set_value(status); });
  }
  absl::Status Stop() {
    stop_ = true;
    return Answer();
  }
  absl::Status Answer() { return answer_.get_future().get(); }

 private:
  std::atomic<bool> stop_ = false;
  std::promise<absl::Status> answer_;
};

TEST(CallPoolTest, LongCallsLetOthersHaveTheirPlace) {
  CallPool pool(1, 8, "");
  LongCall first(pool, "a"), second(pool, "b");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(QuickCall(pool).Answer().ok());
  EXPECT_TRUE(first.Stop().ok());
  EXPECT_TRUE(second.Stop().ok());
}

TEST(CallPoolTest, OneNameDoesNotHoldAllThreads) {
  CallPool pool(1, 100, "");
  std::vector<std::unique_ptr<LongCall>> calls;
  for (int i = 0; i < 40; ++i) {
    calls.push_back(std::make_unique<LongCall>(pool, "greedy", StillWanted(), std::to_string(i)));
  }
  EXPECT_TRUE(QuickCall(pool).Answer().ok());
  for (auto& call : calls) EXPECT_TRUE(call->Stop().ok());
}

TEST(CallPoolTest, WhatACallerAsksOfOneModelIsNotInTheWayOfAnother) {
  CallPool pool(1, 100, "");
  std::vector<std::unique_ptr<LongCall>> calls;
  for (int i = 0; i < 40; ++i) {
    calls.push_back(std::make_unique<LongCall>(pool, "caller", StillWanted(), "slow model"));
  }
  EXPECT_TRUE(QuickCall(pool, {}, "caller", "another").Answer().ok());
  for (auto& call : calls) EXPECT_TRUE(call->Stop().ok());
}

TEST(CallPoolTest, LargeCallsLeaveAPlaceToSmallOnes) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  std::atomic<int> answered = 0;
  CallPool pool(1, 8, "", 1);
  for (int i = 0; i < 3; ++i) {
    pool.Run(
        {std::to_string(i), ""}, {},
        [released](const StillWanted&) {
          released.wait();
          return absl::OkStatus();
        },
        [&answered](const absl::Status&) { ++answered; }, CallPool::Size::kLarge);
  }
  EXPECT_TRUE(QuickCall(pool).Answer().ok());  // never, if the large ones had all places
  EXPECT_EQ(answered, 0);
  release.set_value();
}

// Where a call of that size is done.
struct Place {
  bool work = false, answer = false;  // whether in the background
};

Place PlaceOf(CallPool& pool, CallPool::Size size) {
  std::promise<bool> work, answer;
  pool.Run(
      {"a", ""}, {},
      [&work](const StillWanted&) {
        work.set_value(InBackground());
        return absl::OkStatus();
      },
      [&answer](const absl::Status&) { answer.set_value(InBackground()); }, size);
  return {work.get_future().get(), answer.get_future().get()};
}

TEST(CallPoolTest, OnlyTheWorkOfLargeCallsIsInTheBackground) {
  CallPool pool(1, 8, "", 1);
  const Place large = PlaceOf(pool, CallPool::Size::kLarge);
  const Place small = PlaceOf(pool, CallPool::Size::kSmall);
  EXPECT_TRUE(large.work);
  for (const bool other : {large.answer, small.work, small.answer}) {
    EXPECT_EQ(other, InBackground());
  }
}

TEST(CallPoolTest, OneNameDoesNotFillTheQueue) {
  CallPool pool(1, 8, "full");
  HeldCall running(pool);
  std::vector<std::unique_ptr<QuickCall>> calls;
  int refused = 0;
  for (int i = 0; i < 20; ++i) {
    calls.push_back(std::make_unique<QuickCall>(pool, StillWanted(), "greedy"));
    if (calls.back()->answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
      ++refused;
    }
  }
  EXPECT_EQ(refused, 16);
  QuickCall other(pool, {}, "other");
  EXPECT_TRUE(running.LetGo().ok());
  EXPECT_TRUE(other.Answer().ok());
  for (const auto& call : calls) call->answer.wait();
}

TEST(CallPoolTest, WhatIsNotWantedAnyMoreEndsBetweenTwoPieces) {
  CallPool pool(1, 8, "");
  std::atomic<bool> gone = false;
  LongCall call(pool, "a", [&gone] {
    return gone ? absl::CancelledError("the client has gone") : absl::Status();
  });
  gone = true;
  EXPECT_TRUE(absl::IsCancelled(call.Answer()));
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
