#include "client/data/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <optional>

namespace prequel::client::number_test {
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

TEST(NumberTest, OutOfRange) {
  EXPECT_EQ(ParseNumber("1e-400"), 0);
  EXPECT_EQ(ParseNumber("-1e400"), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseNumber("1e400x"), std::nullopt);
}

TEST(NumberTest, WordsForNoValue) {
  for (const char* none : {"", " ", "NA", " N/A ", "n/a", "#N/A", "<NA>", "NULL", "null", "None",
                           "nan", "NaN", "-nan", "?"}) {
    EXPECT_TRUE(IsMissing(none)) << none;
  }
  for (const char* value : {"0", "none", "na", "Na", "-", ".", "unknown", "inf"}) {
    EXPECT_FALSE(IsMissing(value)) << value;
  }
}

TEST(NumberTest, TruthValuesAreNumbers) {
  for (const char* text : {"true", "True", " TRUE "}) EXPECT_EQ(ParseTruth(text), 1) << text;
  for (const char* text : {"false", "False\t"}) EXPECT_EQ(ParseTruth(text), 0) << text;
  for (const char* text : {"", "t", "1", "truely"}) EXPECT_EQ(ParseTruth(text), std::nullopt);
}

}  // namespace
}  // namespace prequel::client::number_test
