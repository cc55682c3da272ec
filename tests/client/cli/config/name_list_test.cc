#include "client/cli/config/name_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prequel::cli::name_list_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<std::string> Names(const std::string& text) { return NameList("--text", text).value(); }

TEST(NameListTest, CommasSeparateNames) {
  EXPECT_THAT(Names(""), IsEmpty());
  EXPECT_THAT(Names("a"), ElementsAre("a"));
  EXPECT_THAT(Names("a, b,c:text"), ElementsAre("a", " b", "c:text"));
  EXPECT_THAT(Names("a,,"), ElementsAre("a", "", ""));
}

TEST(NameListTest, QuotationMarksHoldACommaTogether) {
  EXPECT_THAT(Names("\"price, net\",b"), ElementsAre("price, net", "b"));
  EXPECT_THAT(Names("a,\"say \"\"yes\"\", or no\""), ElementsAre("a", "say \"yes\", or no"));
  EXPECT_THAT(Names("\"price, net\":text"), ElementsAre("price, net:text"));
  EXPECT_THAT(Names("5\" pipe,b"), ElementsAre("5\" pipe", "b"));
  EXPECT_THAT(Names("\"\""), ElementsAre(""));
}

TEST(NameListTest, AnOpenQuotationMarkIsNamed) {
  EXPECT_THAT(std::string(NameList("--text", "\"a,b").status().message()),
              HasSubstr("--text \"a,b: the quotation mark is not closed"));
}

}  // namespace
}  // namespace prequel::cli::name_list_test
