#include "server/sync/cores.h"

#include <gtest/gtest.h>

#include <chrono>

#include "tests/server/sync/fake_cores.h"

namespace prequel {
namespace {

TEST(CoresTest, NothingIsHeldBackForABackgroundThatHasNothingToDo) {
  FakeCores fake(1);
  fake.Starve();
  EXPECT_FALSE(fake.Paused());
  fake.cores().Want(1);
  fake.Starve();
  EXPECT_TRUE(fake.Paused());
  fake.cores().Want(-1);
  EXPECT_FALSE(fake.Paused());
}

// How it goes for a minute when the foreground never rests: what part of a core the background has,
// and for what part of the time jobs are held back.
struct Course {
  double had, paused;
};

// While jobs are held back the background has `of_pause` of a core, and else `of_rest`.
Course Simulate(FakeCores& fake, double of_rest, double of_pause) {
  constexpr double kStep = 1e-3;
  constexpr int kSteps = 60'000;
  const double before = fake.cores().paused_seconds();
  double had = 0;
  int paused = 0;
  for (int i = 0; i < kSteps; ++i) {
    const bool pause = fake.Paused();
    const double used = kStep * (pause ? of_pause : of_rest);
    paused += pause ? 1 : 0;
    had += used;
    FakeCores::Pass(kStep, used);
  }
  EXPECT_NEAR(fake.cores().paused_seconds() - before, kStep * paused, 0.3 * kStep * paused + 0.02)
      << "it asks every millisecond";
  return {had / (kStep * kSteps), static_cast<double>(paused) / kSteps};
}

TEST(CoresTest, TheBackgroundHasATenth) {
  FakeCores fake(2);
  fake.cores().Begin();
  fake.cores().Begin();
  fake.cores().Want(1);
  Course course = Simulate(fake, 0, 1);
  EXPECT_NEAR(course.had, 0.1, 0.005) << "by pauses alone";
  EXPECT_NEAR(course.paused, 0.1, 0.01);
  course = Simulate(fake, 0.06, 1);
  EXPECT_NEAR(course.had, 0.1, 0.005) << "with what it has anyway";
  EXPECT_NEAR(course.paused, 0.04, 0.01);
  EXPECT_NEAR(Simulate(fake, 0.11, 1).paused, 0, 0.001) << "it has enough anyway";
  fake.cores().Want(1);
  course = Simulate(fake, 0, 2);
  EXPECT_NEAR(course.had, 0.2, 0.01) << "of both cores, for two jobs";
  EXPECT_NEAR(course.paused, 0.1, 0.01);
}

TEST(CoresTest, PausesThatDoNotHelpAreBounded) {
  FakeCores fake(2);
  fake.cores().Begin();
  fake.cores().Begin();
  fake.cores().Want(1);
  const Course course = Simulate(fake, 0, 0);
  EXPECT_GT(course.paused, 0.1);
  EXPECT_LT(course.paused, 0.25);
}

TEST(CoresTest, AMomentWithoutACoreIsNoFamine) {
  FakeCores fake(8);
  for (int i = 0; i < 8; ++i) fake.cores().Begin();
  fake.cores().Want(1);
  Simulate(fake, 1, 1);
  int ms = 0;
  for (; ms < 2000 && !fake.Paused(); ++ms) FakeCores::Pass(1e-3, 0);
  EXPECT_GT(ms, 900);
  EXPECT_LT(ms, 1200);
}

// One job in the background needs one core; where that is not enough, more.
TEST(CoresTest, NoMoreIsHeldBackThanTheBackgroundNeeds) {
  FakeCores fake(8);
  fake.cores().Want(1);
  for (int i = 0; i < 7; ++i) fake.cores().Begin();
  fake.Starve();
  EXPECT_TRUE(fake.Paused()) << "7 of 8 cores run something";
  fake.cores().End();
  EXPECT_FALSE(fake.Paused()) << "6 of 8";
  int running = 6;
  for (int i = 0; i < 100'000 && running > 0; ++i) {
    FakeCores::Pass(1e-3, 0);
    if (fake.Paused()) {
      --running;
      fake.cores().End();
    }
  }
  EXPECT_EQ(running, 0) << "since others had the cores that were left";
  bool all_held = false;
  for (int i = 0; i < 1000 && !all_held; ++i) {
    FakeCores::Pass(1e-3, 0);
    all_held = fake.Paused();
  }
  EXPECT_TRUE(all_held);
}

TEST(CoresTest, WhoWaitsAsksAgainSoon) {
  FakeCores fake(1);
  fake.cores().Want(1);
  fake.Starve();
  const auto until = fake.cores().PausedUntil();
  ASSERT_TRUE(until);
  EXPECT_GT(*until, FakeCores::Now());
  EXPECT_LE(*until - FakeCores::Now(), std::chrono::milliseconds(1));
}

// The time without them is not one in which they could have used a core.
TEST(CoresTest, JobsThatAreDoneAtOnceHoldNothingBack) {
  FakeCores fake(2);
  fake.cores().Begin();
  fake.cores().Begin();
  for (int i = 0; i < 1000; ++i) {
    fake.cores().Want(1);
    for (int ms = 0; ms < 5; ++ms) {
      EXPECT_FALSE(fake.Paused()) << i;
      FakeCores::Pass(1e-3, 1e-3);
    }
    fake.cores().Want(-1);
    FakeCores::Pass(0.195, 0);
  }
}

}  // namespace
}  // namespace prequel
