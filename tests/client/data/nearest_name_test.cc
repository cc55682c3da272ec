#include "client/data/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prequel::client {
namespace {

TEST(NearestNameTest, FindsMisspellingsAndNothingElse) {
  const std::vector<std::string> names = {"temperature", "pressure", "y"};
  EXPECT_EQ(NearestName("temperatur", names), "temperature");
  EXPECT_EQ(NearestName("Pressure", names), "pressure");
  EXPECT_EQ(NearestName("presure", names), "pressure");
  EXPECT_EQ(NearestName("humidity", names), "");
  EXPECT_EQ(NearestName("x", names), "");  // every letter would have to change
}

}  // namespace
}  // namespace prequel::client
