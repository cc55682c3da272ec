#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "client/column_map.h"
#include "client/nearest_name.h"
#include "client/number.h"

namespace prequel::client {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(NearestNameTest, FindsMisspellingsAndNothingElse) {
  const std::vector<std::string> names = {"temperature", "pressure", "y"};
  EXPECT_EQ(NearestName("temperatur", names), "temperature");
  EXPECT_EQ(NearestName("Pressure", names), "pressure");
  EXPECT_EQ(NearestName("presure", names), "pressure");
  EXPECT_EQ(NearestName("humidity", names), "");
  EXPECT_EQ(NearestName("x", names), "");  // every letter would have to change
}

TEST(ColumnMapTest, OneColumnByName) {
  EXPECT_THAT(*FindColumns({"a", "b"}, "b", 1), ElementsAre(1));
}

TEST(ColumnMapTest, WideColumnsCountFromZeroOrOneInAnyOrder) {
  EXPECT_THAT(*FindColumns({"p1", "y", "p0"}, "p", 2), ElementsAre(2, 0));
  EXPECT_THAT(*FindColumns({"y", "p2", "p1"}, "p", 2), ElementsAre(2, 1));
}

TEST(ColumnMapTest, MissingColumnsSuggestTheNearest) {
  const auto missing = FindColumns({"price", "y"}, "prize", 1);
  EXPECT_EQ(missing.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(missing.status().message(), "no column 'prize'; did you mean 'price'?");
  EXPECT_THAT(std::string(FindColumns({"p0", "p1"}, "p", 4).status().message()),
              HasSubstr("no column 'p2'"));
  EXPECT_THAT(std::string(FindColumns({"aa", "bb"}, "other", 1).status().message()),
              HasSubstr("the file has aa, bb"));
}

TEST(NumberTest, ParsesWholeCellsOnly) {
  EXPECT_EQ(ParseNumber(" 1.5 "), 1.5);
  EXPECT_EQ(ParseNumber("+2"), 2);
  EXPECT_EQ(ParseNumber("-3e-2"), -0.03);
  EXPECT_TRUE(std::isnan(*ParseNumber("NaN")));
  EXPECT_TRUE(std::isinf(*ParseNumber("inf")));
  for (const char* text : {"", " ", "1,5", "1.5x", "+-1", "0x10", "abc", "1 2"}) {
    EXPECT_FALSE(ParseNumber(text).has_value()) << text;
  }
}

TEST(NumberTest, ShortestReadsBackExactly) {
  for (double value : {0.1, 1.0 / 3, 1e300, -2.5e-310, 123456789.0}) {
    EXPECT_EQ(ParseNumber(ShortestNumber(value)), value);
  }
  EXPECT_EQ(ShortestNumber(0.1), "0.1");
  EXPECT_EQ(RoundedNumber(1.0 / 3, 3), "0.333");
}

}  // namespace
}  // namespace prequel::client
