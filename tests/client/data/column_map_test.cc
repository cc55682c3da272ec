#include "client/data/column_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace prequel::client::column_map_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

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
              HasSubstr("the file has 'aa', 'bb'"));
}

TEST(ColumnMapTest, SeveralColumnsByTheirNames) {
  const std::vector<std::string> header = {"b", "x", "a"};
  EXPECT_EQ(FindColumns(header, "a,b", 2).value(), (std::vector<std::size_t>{2, 0}));
  EXPECT_THAT(std::string(FindColumns(header, "a,c", 2).status().message()),
              ::testing::HasSubstr("no column 'c'"));
  EXPECT_FALSE(FindColumns(header, "a,b", 3).ok());
  EXPECT_FALSE(FindColumns(header, "a,b", 1).ok()) << "one column has one name";
}

}  // namespace
}  // namespace prequel::client::column_map_test
