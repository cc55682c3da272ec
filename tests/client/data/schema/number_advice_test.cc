#include "client/data/schema/number_advice.h"

#include <gtest/gtest.h>

#include <string>

namespace prequel::client::number_advice_test {
namespace {

TEST(NumberAdviceTest, SaysHowToWriteIt) {
  const std::string thousands = "has a separator of thousands: write ";
  EXPECT_EQ(NumberAdvice("1,234"), thousands + "1234");
  EXPECT_EQ(NumberAdvice("-1,234,567.5"), thousands + "-1234567.5");
  EXPECT_EQ(NumberAdvice("1 234 567"), thousands + "1234567");
  EXPECT_EQ(NumberAdvice("1\u202F234"), thousands + "1234");
  EXPECT_EQ(NumberAdvice("1.234.567"), thousands + "1234567");
  EXPECT_EQ(NumberAdvice("1,5"), "has a decimal comma: write 1.5");
  EXPECT_EQ(NumberAdvice("-0,25"), "has a decimal comma: write -0.25");
  EXPECT_EQ(NumberAdvice("1.234,5"), "has a decimal comma: write 1234.5");
  EXPECT_EQ(NumberAdvice("12 %"), "is a number with a unit: write 12");
  EXPECT_EQ(NumberAdvice("$5.5"), "is a number with a unit: write 5.5");
  EXPECT_EQ(NumberAdvice("€1.234,5"), "is a number with a unit and separators: write 1234.5");
}

TEST(NumberAdviceTest, LeavesNumbersAndTextsAlone) {
  for (const char* text : {"", "1", "1.5", "1e5", "abc", "12,", ",5", "1,2,3", "12,34,567", "1 2",
                           "10.0.0.1", "$", "555-1234", "a,234", "1,234e", "1,5,5"}) {
    EXPECT_EQ(NumberAdvice(text), "") << text;
  }
  EXPECT_EQ(NumberAdvice(std::string(50, '1') + ",234"), "");
}

}  // namespace
}  // namespace prequel::client::number_advice_test
