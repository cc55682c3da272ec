#include "server/engine/actor/worker_pool.h"

#include <gtest/gtest.h>
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "server/sync/background.h"
#include "server/sync/fair_queue.h"
#include "server/sync/thread_time.h"

namespace prequel::worker_pool_test {
namespace {

TEST(WorkerPoolTest, RunsTasksInOrderOnOneWorker) {
  WorkerPool pool(1);
  std::vector<int> order;
  std::promise<void> done;
  for (int i = 0; i < 100; ++i) pool.Post([&order, i] { order.push_back(i); });
  pool.Post([&] { done.set_value(); });
  done.get_future().wait();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(order[static_cast<std::size_t>(i)], i);
}

TEST(WorkerPoolTest, RunsTasksAtTheSameTime) {
  std::promise<void> first, second, done;
  WorkerPool pool(2);
  pool.Post([&] {
    first.set_value();
    second.get_future().wait();
    done.set_value();
  });
  pool.Post([&] {
    first.get_future().wait();
    second.set_value();
  });
  done.get_future().wait();  // for ever, if one waited for the other's end
}

TEST(WorkerPoolTest, ATaskThatPostsItselfLetsOthersRun) {
  std::atomic<bool> stop = false;
  std::promise<void> ran;
  std::function<void()> greedy;
  WorkerPool pool(1);  // last, so that it stops before what its tasks use is gone
  greedy = [&] {
    if (!stop) pool.Post([&] { greedy(); });
  };
  pool.Post([&] { greedy(); });
  pool.Post([&] { ran.set_value(); });
  ran.get_future().wait();
  stop = true;
}

TEST(WorkerPoolTest, LightTasksWaitForNoHeavyOne) {
  std::promise<void> release, light;
  std::shared_future<void> released = release.get_future().share();
  std::atomic<int> heavy = 0;
  WorkerPool pool(2);
  for (int i = 0; i < 5; ++i) {
    pool.Post("heavy" + std::to_string(i), WorkerPool::Weight::kHeavy, [&heavy, released] {
      ++heavy;
      released.wait();
    });
  }
  pool.Post("light", WorkerPool::Weight::kLight, [&light] { light.set_value(); });
  light.get_future().wait();  // for ever, if the heavy ones held all threads
  EXPECT_LE(heavy, 2);
  release.set_value();
  while (heavy < 5) std::this_thread::yield();
}

TEST(WorkerPoolTest, HeavyTasksWaitForNoLightOne) {
  std::promise<void> release, heavy;
  std::shared_future<void> released = release.get_future().share();
  WorkerPool pool(1);
  pool.Post("light", WorkerPool::Weight::kLight, [released] { released.wait(); });
  pool.Post("heavy", WorkerPool::Weight::kHeavy, [&heavy] { heavy.set_value(); });
  heavy.get_future().wait();
  release.set_value();
}

TEST(WorkerPoolTest, ALightTaskGoesBeforeHeavyOnesWhereCoresAreShort) {
  std::promise<bool> heavy, light;
  std::promise<void> release;
  WorkerPool pool(1);
  pool.Post("heavy", WorkerPool::Weight::kHeavy, [&] {
    heavy.set_value(InBackground());
    release.get_future().wait();
  });
  EXPECT_TRUE(heavy.get_future().get());
  pool.Post("light", WorkerPool::Weight::kLight, [&] { light.set_value(InBackground()); });
  EXPECT_EQ(light.get_future().get(), InBackground());
  release.set_value();
}

void Burn(double seconds) {
  const double end = ThreadSeconds() + seconds;
  while (ThreadSeconds() < end) continue;
}

// One that is busy has used little; meanwhile turns of the `other` kind use much. The turns that
// the busy one has before one that comes now.
int TurnsBeforeWhoComes(WorkerPool::Weight kind, WorkerPool::Weight other) {
  std::promise<void> much, begin, came;
  std::shared_future<void> begun = begin.get_future().share();
  std::atomic<bool> stop = false;
  int turns = 0, before = 0;  // of the only thread of their kind
  int long_turns = 0;
  std::function<void()> busy, long_turn;
  WorkerPool pool(1);
  busy = [&] {
    begun.wait();
    Burn(5e-5);
    ++turns;
    if (!stop) pool.Post("busy", kind, [&] { busy(); });
  };
  long_turn = [&] {
    Burn(2e-2);
    if (++long_turns == 3) return much.set_value();
    pool.Post("long", other, [&] { long_turn(); });
  };
  pool.Post("busy", kind, [&] { busy(); });
  pool.Post("long", other, [&] { long_turn(); });
  much.get_future().wait();
  pool.Post("comes", kind, [&] {
    before = turns;
    stop = true;
    came.set_value();
  });
  begin.set_value();
  came.get_future().wait();
  return before;
}

TEST(WorkerPoolTest, WhoComesWaitsForNothingThatTheOtherKindHasUsed) {
  using Weight = WorkerPool::Weight;
  EXPECT_EQ(TurnsBeforeWhoComes(Weight::kLight, Weight::kHeavy), 1) << "the one that was running";
  EXPECT_EQ(TurnsBeforeWhoComes(Weight::kHeavy, Weight::kLight), 1) << "the one that was running";
}

TEST(WorkerPoolTest, WhoHasUsedLessIsNext) {
  std::promise<void> done;
  int light = 0, heavy = 0;
  std::function<void()> heavy_turn, light_turn;
  WorkerPool pool(1);
  heavy_turn = [&] {
    Burn(5e-3);
    ++heavy;
    pool.Post("heavy", WorkerPool::Weight::kLight, [&] { heavy_turn(); });
  };
  light_turn = [&] {
    Burn(5e-5);
    if (++light == 400) return done.set_value();
    pool.Post("light", WorkerPool::Weight::kLight, [&] { light_turn(); });
  };
  std::promise<void> begin;
  pool.Post("first", WorkerPool::Weight::kLight, [&] { begin.get_future().wait(); });
  pool.Post("heavy", WorkerPool::Weight::kLight, [&] { heavy_turn(); });
  pool.Post("light", WorkerPool::Weight::kLight, [&] { light_turn(); });
  begin.set_value();
  done.get_future().wait();
  pool.Stop();
  EXPECT_LT(heavy, 12) << "as much time as the other's 20 ms, not as many turns";
}

// Processor time that is used by saying so.
thread_local double fake_seconds = 0;

TEST(WorkerPoolTest, TurnsOfEqualLengthGoByShares) {
  for (const WorkerPool::Weight weight : {WorkerPool::Weight::kLight, WorkerPool::Weight::kHeavy}) {
    constexpr int kTurns = 400;
    std::promise<void> begin, done;
    int a = 0, b = 0;
    std::function<void(const char*, int, int&)> post;
    WorkerPool pool(1, [] { return fake_seconds; });
    post = [&](const char* who, int share, int& turns) {
      const auto turn = [&, who, share] {
        fake_seconds += 1;
        ++turns;
        if (a + b == kTurns) return done.set_value();
        post(who, share, turns);
      };
      pool.Post(who, weight, turn, share);
    };
    pool.Post("first", weight, [&] { begin.get_future().wait(); });
    post("a", kEvenShare, a);
    post("b", 3 * kEvenShare, b);
    begin.set_value();
    done.get_future().wait();
    pool.Stop();
    EXPECT_LE(std::abs(b - kTurns * 3 / 4), 1) << b;
  }
}

TEST(WorkerPoolTest, StopDropsWhatWaits) {
  WorkerPool pool(1);
  std::promise<void> started, release, dropped;
  std::atomic<bool> ran = false;
  pool.Post([&] {
    started.set_value();
    release.get_future().wait();
  });
  started.get_future().wait();
  std::shared_ptr<void> token(nullptr, [&](void*) { dropped.set_value(); });
  pool.Post([&ran, held = std::move(token)] { ran = true; });
  std::thread stopper([&] { pool.Stop(); });
  dropped.get_future().wait();
  release.set_value();
  stopper.join();
  pool.Post([&ran] { ran = true; });
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace prequel::worker_pool_test
