#include "server/engine/fold/state_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::state_pool_test {
namespace {

std::shared_ptr<StatePool> MakePool() {
  return std::make_shared<StatePool>(
      std::make_shared<const Learner>(Learner::Create(LinearConfig(2)).value()));
}

TEST(StatePoolTest, UsesAStateAgainOnceItIsLetGo) {
  const std::shared_ptr<StatePool> pool = MakePool();
  std::shared_ptr<LearnerState> a = pool->Take();
  std::shared_ptr<const LearnerState> reader = a;
  const LearnerState* address = a.get();
  a.reset();
  EXPECT_NE(pool->Take().get(), address) << "a reader still holds it";
  std::shared_ptr<LearnerState> b = pool->Take();
  reader.reset();
  EXPECT_EQ(pool->Take().get(), address);
}

TEST(StatePoolTest, StatesOutliveThePoolsOwner) {
  std::shared_ptr<StatePool> pool = MakePool();
  std::vector<std::shared_ptr<LearnerState>> many;
  for (int i = 0; i < 10; ++i) many.push_back(pool->Take());
  pool.reset();
  EXPECT_EQ(many.back()->revision, 0);
}

}  // namespace
}  // namespace prequel::state_pool_test
