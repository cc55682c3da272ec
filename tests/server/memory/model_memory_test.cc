#include "server/memory/model_memory.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

#include "server/memory/shortage.h"

namespace prequel::model_memory_test {
namespace {

TEST(ModelMemoryTest, CountsWhatEachHoldsAndWhatTheLargestWorkWith) {
  ModelMemory memory(1000, 2);
  std::vector<ModelMemory::Lease> leases;
  for (const std::int64_t working : {10, 40, 20, 30}) {
    absl::StatusOr<ModelMemory::Lease> lease = memory.Take({.held = 100, .working = working});
    ASSERT_TRUE(lease.ok()) << lease.status();
    leases.push_back(*std::move(lease));
  }
  EXPECT_EQ(memory.used(), 4 * 100 + 40 + 30);
  leases.erase(leases.begin() + 1);  // that of 40
  EXPECT_EQ(memory.used(), 3 * 100 + 30 + 20);
  leases.clear();
  EXPECT_EQ(memory.used(), 0);
}

TEST(ModelMemoryTest, RefusesWhatDoesNotFitAndIsAsItWas) {
  ModelMemory memory(1000, 1);
  const ModelMemory::Lease first = *memory.Take({.held = 500, .working = 100});
  for (const ModelBytes& bytes :
       {ModelBytes{.held = 401, .working = 100}, ModelBytes{.held = 100, .working = 401},
        ModelBytes{.held = std::int64_t{1} << 62, .working = 0},
        ModelBytes{.held = 0, .working = std::int64_t{1} << 62}}) {
    const absl::Status refused = memory.Take(bytes).status();
    EXPECT_TRUE(absl::IsResourceExhausted(refused)) << refused;
    const std::optional<Shortage> shortage = ShortageOf(refused);
    ASSERT_TRUE(shortage.has_value());
    EXPECT_EQ(shortage->wanted, bytes.held + bytes.working);
    EXPECT_EQ(memory.used(), 600);
  }
  // Work passes from one to the next.
  EXPECT_TRUE(memory.Take({.held = 400, .working = 100}).ok());
  EXPECT_TRUE(memory.Take({.held = 390, .working = 100}).ok());
  EXPECT_TRUE(memory.Take({.held = 300, .working = 200}).ok());
  EXPECT_EQ(memory.used(), 600);
}

// What is free need not hold what a model works with where that of another is counted already.
TEST(ModelMemoryTest, WorkThatIsCountedAlreadyTakesNoRoom) {
  ModelMemory memory(1000, 1);
  const ModelMemory::Lease first = *memory.Take({.held = 500, .working = 400});
  const absl::StatusOr<ModelMemory::Lease> second = memory.Take({.held = 100, .working = 400});
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(memory.used(), 1000);
}

}  // namespace
}  // namespace prequel::model_memory_test
