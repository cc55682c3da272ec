#include "client/data/number.h"

#include <gtest/gtest.h>

#include <cmath>

namespace prequel::client {
namespace {

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
