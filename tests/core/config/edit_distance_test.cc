#include "core/config/edit_distance.h"

#include "gtest/gtest.h"

namespace prequel::edit_distance_test {
namespace {

TEST(EditDistance, CountsInsertedDeletedAndReplacedLetters) {
  EXPECT_EQ(EditDistance("passes", "passes"), 0U);
  EXPECT_EQ(EditDistance("pases", "passes"), 1U);
  EXPECT_EQ(EditDistance("passses", "passes"), 1U);
  EXPECT_EQ(EditDistance("posses", "passes"), 1U);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3U);
  EXPECT_EQ(EditDistance("saturday", "sunday"), 3U);
  EXPECT_EQ(EditDistance("ab", "ba"), 2U);
}

TEST(IsNear, IsAThirdOfTheLettersAndThreeAtMost) {
  for (std::size_t length = 0; length < 40; ++length) {
    const std::size_t most = length < 9 ? length / 3 : 3;
    EXPECT_TRUE(IsNear(most, length)) << length;
    EXPECT_FALSE(IsNear(most + 1, length)) << length;
  }
}

TEST(EditDistance, OfNothingIsALength) {
  EXPECT_EQ(EditDistance("", ""), 0U);
  EXPECT_EQ(EditDistance("abc", ""), 3U);
  EXPECT_EQ(EditDistance("", "abc"), 3U);
}

TEST(EditDistance, IgnoresTheCaseOfAsciiLettersAlone) {
  EXPECT_EQ(EditDistance("Pressure", "pRESSURE"), 0U);
  EXPECT_EQ(EditDistance("[", "{"), 1U);  // as far apart in ASCII as 'A' and 'a'
}

}  // namespace
}  // namespace prequel::edit_distance_test
