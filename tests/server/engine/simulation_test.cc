// A few random schedules; `./dev accept durability` runs a hundred thousand.
#include "tests/server/engine/simulation.h"

#include <gtest/gtest.h>

namespace prequel::simulation_test {
namespace {

TEST(SimulationTest, EveryInvariantHolds) {
  Simulated total;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const Simulated one = Simulate(seed);
    ASSERT_EQ(one.problem, "") << "seed " << seed;
    total.Add(one);
  }
  // It has met what it is about.
  for (const std::int64_t count :
       {total.learned, total.repeats, total.gaps, total.refusals, total.crashes, total.failed_syncs,
        total.full_disks, total.unanswered, total.snapshots, total.rollbacks, total.forks,
        total.reads}) {
    EXPECT_GT(count, 20);
  }
}

}  // namespace
}  // namespace prequel::simulation_test
