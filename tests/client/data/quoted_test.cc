#include "client/data/quoted.h"

#include <gtest/gtest.h>

#include <string>

namespace prequel::client::quoted_test {
namespace {

TEST(QuotedTest, IsOneReadableLine) {
  EXPECT_EQ(Quoted("München"), "'München'");
  EXPECT_EQ(Quoted(""), "''");
  EXPECT_EQ(Quoted("y\r\n\t"), "'y\\r\\n\\t'");
  EXPECT_EQ(Quoted(std::string("a\0b", 3)), "'a\\x00b'");
  EXPECT_EQ(Quoted("M\xFCnchen"), "'M\\xFCnchen'");
}

TEST(QuotedTest, IsCutBetweenCharacters) {
  EXPECT_EQ(Quoted(std::string(60, 'x')), "'" + std::string(60, 'x') + "'");
  EXPECT_EQ(Quoted(std::string(61, 'x')), "'" + std::string(60, 'x') + "…'");
  EXPECT_EQ(Quoted(std::string(59, 'x') + "üü"), "'" + std::string(59, 'x') + "…'");
}

}  // namespace
}  // namespace prequel::client::quoted_test
