#include "core/encoding/spelling.h"

#include <string_view>
#include <utility>

#include "gtest/gtest.h"

namespace prequel::spelling_test {
namespace {

TEST(SpellingTest, ANumberIsTheSameHoweverItIsSpelled) {
  for (const auto& [text, spelled] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"1", "1"},
           {"1.0", "1"},
           {"+1", "1"},
           {" 1\t", "1"},
           {"1.", "1"},
           {"-2.50", "-2.5"},
           {"10", "10"},
           {"100.0", "100"},
           {"0.0", "0"},
           {"-0", "0"},
           {"-0.00", "0"},
           {"9007199254740993.0", "9007199254740993"}}) {
    EXPECT_EQ(Spelled(text), spelled) << text;
  }
}

TEST(SpellingTest, ATruthValueIsItsNumber) {
  for (const char* text : {"true", "True", "TRUE", " true"}) EXPECT_EQ(Spelled(text), "1");
  for (const char* text : {"false", "False", "FALSE"}) EXPECT_EQ(Spelled(text), "0");
}

TEST(SpellingTest, OtherTextsAreAsTheyAre) {
  for (const char* text : {"", "007", "00", "1e3", "0x1", "1,5", "-", "+", ".", ".5", "1.2.3", "a",
                           "1 2", "t", "yes", "NA", "1a", "--1", "+-1"}) {
    EXPECT_EQ(Spelled(text), text);
  }
  EXPECT_EQ(Spelled("a "), "a");
  EXPECT_EQ(Spelled(" \t"), "");
  EXPECT_NE(Spelled("9007199254740992"), Spelled("9007199254740993"));
}

}  // namespace
}  // namespace prequel::spelling_test
