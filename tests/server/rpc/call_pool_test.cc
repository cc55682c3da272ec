#include "server/rpc/call_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/sync/background.h"
#include "server/sync/fair_queue.h"
#include "server/sync/mutex.h"
#include "server/sync/thread_time.h"

namespace prequel::call_pool_test {
namespace {

using std::chrono::system_clock;
using Where = Where;

// Processor time that is used by saying so.
thread_local double fake_seconds = 0;
double FakeSeconds() { return fake_seconds; }

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

// A call in pieces of a fake second, until it is let go.
class LongCall {
 public:
  LongCall(CallPool& pool, const std::string& who, StillWanted wanted = {},
           const std::string& about = "") {
    pool.Run(
        {who, about}, std::move(wanted),
        [this](const StillWanted& proceed) {
          absl::Status status;
          while (status.ok() && !stop_) {
            fake_seconds += 1;
            ++pieces_;
            status = proceed();
          }
          return status;
        },
        [this](const absl::Status& status) { answer_.set_value(status); });
  }
  int pieces() const { return pieces_; }
  void LetGo() { stop_ = true; }
  absl::Status Stop() {
    LetGo();
    return Answer();
  }
  absl::Status Answer() { return answer_.get_future().get(); }

 private:
  std::atomic<bool> stop_ = false;
  std::atomic<int> pieces_ = 0;
  std::promise<absl::Status> answer_;
};

// A thousand more: as many have begun as may.
void AwaitManyPieces(const std::vector<std::unique_ptr<LongCall>>& calls) {
  const auto done = [&calls] {
    int pieces = 0;
    for (const auto& call : calls) pieces += call->pieces();
    return pieces;
  };
  for (const int before = done(); done() < before + 1000;) continue;
}

void StopAll(const std::vector<std::unique_ptr<LongCall>>& calls) {
  for (const auto& call : calls) call->LetGo();
  for (const auto& call : calls) EXPECT_TRUE(call->Answer().ok());
}

TEST(CallPoolTest, LongCallsLetOthersHaveTheirPlace) {
  CallPool pool(1, 8, "", Where::kForeground, FakeSeconds);
  LongCall first(pool, "a"), second(pool, "b");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(QuickCall(pool).Answer().ok());
  EXPECT_TRUE(first.Stop().ok());
  EXPECT_TRUE(second.Stop().ok());
}

TEST(CallPoolTest, OneNameAloneHasAllPlaces) {
  constexpr int kPlaces = 16;
  CallPool pool(kPlaces, 100, "");
  std::vector<std::unique_ptr<HeldCall>> calls;  // each is made once its call is worked on
  for (int i = 0; i < kPlaces; ++i) calls.push_back(std::make_unique<HeldCall>(pool));
  for (const auto& call : calls) EXPECT_TRUE(call->LetGo().ok());
}

TEST(CallPoolTest, OneNameDoesNotHoldAllThreads) {
  CallPool pool(1, 100, "", Where::kForeground, FakeSeconds);
  std::vector<std::unique_ptr<LongCall>> calls;
  for (int i = 0; i < 40; ++i) {
    calls.push_back(std::make_unique<LongCall>(pool, "greedy", StillWanted(), std::to_string(i)));
  }
  AwaitManyPieces(calls);
  EXPECT_TRUE(QuickCall(pool).Answer().ok());
  StopAll(calls);
}

TEST(CallPoolTest, TenNamesDoNotHoldAllThreads) {
  for (const int places : {1, 8}) {
    CallPool pool(places, 1000, "", Where::kForeground, FakeSeconds);
    std::vector<std::unique_ptr<LongCall>> calls;
    for (int name = 0; name < 10; ++name) {
      for (int i = 0; i < 20; ++i) {
        calls.push_back(std::make_unique<LongCall>(pool, "greedy " + std::to_string(name),
                                                   StillWanted(), std::to_string(i)));
      }
      AwaitManyPieces(calls);
    }
    EXPECT_TRUE(QuickCall(pool).Answer().ok()) << places;
    StopAll(calls);
  }
}

TEST(CallPoolTest, WhatACallerAsksOfOneModelIsNotInTheWayOfAnother) {
  CallPool pool(1, 100, "", Where::kForeground, FakeSeconds);
  std::vector<std::unique_ptr<LongCall>> calls;
  for (int i = 0; i < 40; ++i) {
    calls.push_back(std::make_unique<LongCall>(pool, "caller", StillWanted(), "slow model"));
  }
  AwaitManyPieces(calls);
  EXPECT_TRUE(QuickCall(pool, {}, "caller", "another").Answer().ok());
  StopAll(calls);
}

// Whether the work of a call is done, and its answer given, in the background.
struct Background {
  bool work = false, answer = false;
};

Background OfACall(CallPool& pool) {
  std::promise<bool> work, answer;
  pool.Run(
      {"a", ""}, {},
      [&work](const StillWanted&) {
        work.set_value(InBackground());
        return absl::OkStatus();
      },
      [&answer](const absl::Status&) { answer.set_value(InBackground()); });
  return {work.get_future().get(), answer.get_future().get()};
}

TEST(CallPoolTest, WorkMayBeInTheBackgroundAndAnswersNeverAre) {
  CallPool foreground(1, 8, ""), background(1, 8, "", Where::kBackground);
  const Background of_short = OfACall(foreground), of_long = OfACall(background);
  EXPECT_TRUE(of_long.work);
  for (const bool other : {of_long.answer, of_short.work, of_short.answer}) {
    EXPECT_EQ(other, InBackground());
  }
}

// Calls of fake cost, which begin once all are there.
class Crowd {
 public:
  explicit Crowd(Where where) : pool_(1, 10'000, "full", where, FakeSeconds), held_(pool_) {}

  void Add(const Asker& who, double work, double answer = 0) {
    ++added_;
    pool_.Run(
        who, {},
        [this, caller = who.caller, work](const StillWanted&) {
          fake_seconds += work;
          MutexLock lock(mu_);
          order_.push_back(caller);
          return absl::OkStatus();
        },
        [answer](const absl::Status& status) {
          EXPECT_TRUE(status.ok()) << status;
          fake_seconds += answer;
        });
  }
  // Whose they were, in the order in which they were worked on.
  std::vector<std::string> Go() {
    EXPECT_TRUE(held_.LetGo().ok());
    pool_.Drain(system_clock::now() + std::chrono::seconds(60));
    MutexLock lock(mu_);
    EXPECT_EQ(order_.size(), added_);
    return order_;
  }

 private:
  Mutex mu_;
  std::vector<std::string> order_ ABSL_GUARDED_BY(mu_);
  std::size_t added_ = 0;
  CallPool pool_;
  HeldCall held_;
};

TEST(CallPoolTest, CallersHaveTurnsByTheirShares) {
  constexpr int kCalls = 400;
  Crowd crowd(Where::kForeground);
  for (int i = 0; i < kCalls; ++i) {
    crowd.Add({"a", ""}, 1);
    crowd.Add({"b", "", 3 * kEvenShare}, 1);
  }
  const std::vector<std::string> order = crowd.Go();
  const auto b = std::count(order.begin(), order.begin() + kCalls, "b");
  EXPECT_LE(std::abs(b - kCalls * 3 / 4), 1) << b;
}

// What "a" asks about one thing is worked on one after the other, so that the first is charged for
// its answer before the second begins.
TEST(CallPoolTest, AnAnswerIsPaidByWhoAsks) {
  for (const Where where : {Where::kForeground, Where::kBackground}) {
    Crowd crowd(where);
    crowd.Add({"a", "one thing"}, 1, 10);
    crowd.Add({"a", "one thing"}, 1, 10);
    for (int i = 0; i < 3; ++i) crowd.Add({"b", std::to_string(i)}, 3);
    EXPECT_EQ(crowd.Go(), (std::vector<std::string>{"a", "b", "b", "b", "a"}));
  }
}

// Each pool is a queue of its own: nobody's short call waits for what others have used on long
// ones.
TEST(CallPoolTest, WhoComesWaitsForNothingThatIsUsedInAnotherPool) {
  CallPool background(1, 8, "", Where::kBackground, FakeSeconds);
  Crowd crowd(Where::kForeground);
  crowd.Add({"busy", "1"}, 1);
  crowd.Add({"busy", "2"}, 1);
  for (int i = 0; i < 3; ++i) {
    std::promise<void> answered;
    background.Run(
        {"long", ""}, {},
        [](const StillWanted&) {
          fake_seconds += 1000;
          return absl::OkStatus();
        },
        [&answered](const absl::Status&) { answered.set_value(); });
    answered.get_future().wait();
  }
  crowd.Add({"comes", ""}, 1);
  EXPECT_EQ(crowd.Go(), (std::vector<std::string>{"busy", "comes", "busy"}));
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
  CallPool pool(1, 8, "", Where::kForeground, FakeSeconds);
  std::atomic<bool> gone = false;
  LongCall call(pool, "a", [&gone] {
    return gone ? absl::CancelledError("the client has gone") : absl::Status();
  });
  gone = true;
  EXPECT_TRUE(absl::IsCancelled(call.Answer()));
}

TEST(CallPoolTest, DrainAnswersWhatWasAccepted) {
  for (const Where where : {Where::kForeground, Where::kBackground}) {
    CallPool pool(1, 2, "", where);
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
}

TEST(CallPoolTest, WhatIsQueuedAtTheEndIsAnswered) {
  for (const Where where : {Where::kForeground, Where::kBackground}) {
    std::vector<std::unique_ptr<QuickCall>> calls;
    {
      CallPool pool(1, 100, "", where);
      HeldCall running(pool);
      for (int i = 0; i < 20; ++i) calls.push_back(std::make_unique<QuickCall>(pool));
      EXPECT_TRUE(running.LetGo().ok());
    }
    for (const auto& call : calls) EXPECT_TRUE(call->Answer().ok());
  }
}

}  // namespace
}  // namespace prequel::call_pool_test
