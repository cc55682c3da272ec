#include "client/cli/output/table.h"

#include <gtest/gtest.h>

#include <limits>

#include "client/cli/output/progress_line.h"

namespace prequel::cli::table_test {
namespace {

TEST(TableTest, NumbersToTheRightTextToTheLeft) {
  Table table({"NAME", "ROWS"});
  table.Add({"a", "1,234"});
  table.Add({"longer", "7"});
  table.Add({"none", "-"});
  EXPECT_EQ(table.Text(),
            "NAME     ROWS\n"
            "a       1,234\n"
            "longer      7\n"
            "none        -\n");
}

TEST(TableTest, WidthsCountCharacters) {
  Table table({});
  table.Add({"é", "x"});
  table.Add({"ab", "y"});
  EXPECT_EQ(table.Text(), "é   x\nab  y\n");
}

TEST(TableTest, NoTrailingBlanks) {
  Table table({"A", "B"});
  table.Add({"long cell", ""});
  EXPECT_EQ(table.Text(), "A          B\nlong cell\n");
}

TEST(TableTest, FixedRows) { EXPECT_EQ(FixedRow({"1", "ab"}, 4), "   1    ab\n"); }

TEST(TableTest, Numbers) {
  EXPECT_EQ(Number(0.0876543), "0.0877");
  EXPECT_EQ(Number(12.3456), "12.35");
  EXPECT_EQ(Number(-1234.56), "-1234.6");
  EXPECT_EQ(Number(0.0), "0.0000");
  EXPECT_EQ(Number(1.5e-7), "1.500e-07");
  EXPECT_EQ(Number(2.5e9), "2.500e+09");
  EXPECT_EQ(Number(std::numeric_limits<double>::quiet_NaN()), "-");
  EXPECT_EQ(Number(std::optional<double>()), "-");
}

TEST(TableTest, Counts) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1000), "1,000");
  EXPECT_EQ(Count(-1234567), "-1,234,567");
}

TEST(ProgressLineTest, Bars) {
  EXPECT_EQ(Bar(0), "[------------------------]   0 %");
  EXPECT_EQ(Bar(0.5), "[############------------]  50 %");
  EXPECT_EQ(Bar(7), "[########################] 100 %");
}

TEST(CountTest, NounsFollowTheNumber) {
  EXPECT_EQ(Count(1, "minibatch", "minibatches"), "1 minibatch");
  EXPECT_EQ(Count(0, "row", "rows"), "0 rows");
  EXPECT_EQ(Count(1'234, "row", "rows"), "1,234 rows");
}

}  // namespace
}  // namespace prequel::cli::table_test
