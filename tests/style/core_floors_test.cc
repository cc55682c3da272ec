#include "tests/style/core_floors.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace prequel::style::core_floors_test {
namespace {

std::vector<Finding> Check(const std::string& path, const std::string& header) {
  return CheckFloors({path, "#pragma once\n#include \"" + header + "\"\n"});
}

TEST(CoreFloors, AFileSeesItsOwnRoomAndLowerFloors) {
  EXPECT_TRUE(Check("core/rules/ivon.h", "core/rules/mode.h").empty());
  EXPECT_TRUE(Check("core/rules/ivon.h", "core/posteriors/diagonal_gaussian.h").empty());
  EXPECT_TRUE(Check("core/learner/codec/packing.cc", "core/linalg/types.h").empty());
  EXPECT_TRUE(Check("core/rules/ivon.h", "absl/status/status.h").empty());
  EXPECT_TRUE(Check("server/engine/engine.h", "core/learner/learner.h").empty());
}

TEST(CoreFloors, AFileSeesNeitherItsOwnFloorNorHigherOnes) {
  const std::vector<Finding> up = Check("core/likelihoods/gaussian.h", "core/learner/noise.h");
  ASSERT_EQ(up.size(), 1u);
  EXPECT_EQ(up[0].line, 2);
  EXPECT_EQ(Check("core/rules/ivon.h", "core/dynamics/drift.h").size(), 1u);
}

TEST(CoreFloors, ARoomNeedsAFloor) {
  EXPECT_EQ(Check("core/cellar/wine.h", "core/linalg/types.h").size(), 1u);
  EXPECT_EQ(Check("core/rules/ivon.h", "core/cellar/wine.h").size(), 1u);
}

}  // namespace
}  // namespace prequel::style::core_floors_test
