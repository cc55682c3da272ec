#include "client/data/nearest_name.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prequel::client::nearest_name_test {
namespace {

TEST(NearestNameTest, FindsMisspellingsAndNothingElse) {
  const std::vector<std::string> names = {"temperature", "pressure", "y"};
  EXPECT_EQ(NearestName("temperatur", names), "temperature");
  EXPECT_EQ(NearestName("Pressure", names), "pressure");
  EXPECT_EQ(NearestName("presure", names), "pressure");
  EXPECT_EQ(NearestName("humidity", names), "");
  EXPECT_EQ(NearestName("x", names), "");  // every letter would have to change
}

TEST(NearestNameTest, IsSilentUnlessThreeQuartersOrSoOfTheLettersAreThere) {
  EXPECT_EQ(NearestName("age", {"sex"}), "");
  EXPECT_EQ(NearestName("x1", {"x2", "x3"}), "");
  EXPECT_EQ(NearestName("weekday", {"windy"}), "");
  EXPECT_EQ(NearestName("AGE", {"sex", "age"}), "age");
  EXPECT_EQ(NearestName("yaer", {"bear", "year"}), "year") << "neighbours that changed places";
  EXPECT_EQ(NearestName("moon", {"moons"}), "moons");
  EXPECT_EQ(NearestName("ignore_this_column", {"ignored_the_columns"}), "");
  EXPECT_EQ(NearestName(std::string(300, 'a'), {std::string(300, 'b')}), "");
}

}  // namespace
}  // namespace prequel::client::nearest_name_test
