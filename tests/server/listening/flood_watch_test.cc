#include "server/listening/flood_watch.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>

namespace prequel {
namespace {

constexpr std::int64_t kKilobyte = 1 << 10, kMegabyte = 1 << 20, kGigabyte = 1 << 30;

// What a process has more after a tenth of a second.
struct More {
  std::int64_t resident = 0, held = 0, arriving = 0, connections = 0;
};

// A process that is watched, of 60 MB and what it begins with.
class Process {
 public:
  explicit Process(std::int64_t unexplained, std::int64_t begins_with = 0) : watch_(unexplained) {
    sight_.resident = 60 * kMegabyte + begins_with;
    (void)watch_.Sees(sight_, false);
  }
  // For so many tenths of a second; how many of them looked like a flood.
  int After(int tenths, const More& more, bool large = false) {
    int floods = 0;
    for (int i = 0; i < tenths; ++i) {
      sight_.when += std::chrono::milliseconds(100);
      sight_.resident += more.resident;
      sight_.explained += more.held + more.arriving;
      sight_.arriving += more.arriving;
      sight_.connections += more.connections;
      if (watch_.Sees(sight_, large)) ++floods;
    }
    return floods;
  }
  std::int64_t resident() const { return sight_.resident; }

 private:
  FloodWatch watch_;
  FloodWatch::Sight sight_{.when = FloodWatch::Clock::now()};
};

constexpr More kFlood{.resident = 20 * kMegabyte, .arriving = 250 * kKilobyte};

TEST(FloodWatchTest, SeesAFloodLongBeforeAQuarterOfMuchMemory) {
  Process process(16 * kGigabyte);
  EXPECT_EQ(process.After(3, kFlood), 0);
  EXPECT_GE(process.After(3, kFlood), 1);
  EXPECT_LT(process.resident(), 200 * kMegabyte);
}

TEST(FloodWatchTest, SeesAFloodOfASmallServerAtAQuarterOfItsMemory) {
  Process process(64 * kMegabyte);
  EXPECT_EQ(process.After(3, kFlood), 1);
}

TEST(FloodWatchTest, SeesAFloodBesideOthersWhoComeAndGo) {
  Process process(16 * kGigabyte);
  int floods = 0;
  for (int i = 0; i < 10; ++i) {
    floods += process.After(1, {20 * kMegabyte, 5 * kMegabyte, 250 * kKilobyte});
    floods += process.After(1, {20 * kMegabyte, -5 * kMegabyte, 250 * kKilobyte});
  }
  EXPECT_GE(floods, 1);
}

TEST(FloodWatchTest, LeavesWhoUploads) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(50, {.resident = 21 * kMegabyte, .arriving = 20 * kMegabyte}), 0);
}

TEST(FloodWatchTest, LeavesRequestsThatWait) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(50, {.resident = 20 * kMegabyte, .arriving = kMegabyte}), 0);
}

TEST(FloodWatchTest, LeavesManyWhoConnect) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(
                50, {.resident = 20 * kMegabyte, .arriving = 250 * kKilobyte, .connections = 400}),
            0);
}

TEST(FloodWatchTest, LeavesWhatIsKnown) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(50, {20 * kMegabyte, 20 * kMegabyte - 250 * kKilobyte, 250 * kKilobyte}),
            0);
}

TEST(FloodWatchTest, LeavesWhoUploadsWhileSomethingElseBegins) {
  Process process(100 * kMegabyte, kGigabyte);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(process.After(2, kFlood), 0);
    EXPECT_EQ(process.After(1, {.resident = kMegabyte, .arriving = 250 * kKilobyte}), 0);
  }
}

TEST(FloodWatchTest, LeavesThoseWhoSendNothingMore) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(1, {.arriving = kMegabyte}), 0);
  EXPECT_EQ(process.After(50, {.resident = 20 * kMegabyte}), 0);
}

TEST(FloodWatchTest, LeavesWhatWasFreedAndIsResident) {
  Process process(100 * kMegabyte, 4 * kGigabyte);
  EXPECT_EQ(process.After(50, {.arriving = 250 * kKilobyte}), 0);
  EXPECT_EQ(process.After(50, {.held = -10 * kMegabyte, .arriving = 250 * kKilobyte}), 0);
  EXPECT_EQ(process.After(50, {.held = -10 * kMegabyte, .arriving = 250 * kKilobyte}, true), 0);
}

TEST(FloodWatchTest, ALargeProcessMustOnlyGrow) {
  Process process(100 * kMegabyte, kGigabyte);
  EXPECT_EQ(process.After(1, {.resident = kMegabyte}, true), 0);
  EXPECT_EQ(process.After(1, {.resident = 3 * kMegabyte}, true), 1);
  EXPECT_EQ(process.After(1, {.resident = 3 * kMegabyte, .held = 3 * kMegabyte}, true), 0);
}

TEST(FloodWatchTest, ALargeProcessMayHaveWhatNothingExplains) {
  Process process(100 * kMegabyte);
  EXPECT_EQ(process.After(1, {.resident = 30 * kMegabyte}, true), 0);
  EXPECT_EQ(process.After(1, {.resident = 30 * kMegabyte}, true), 1);
}

}  // namespace
}  // namespace prequel
