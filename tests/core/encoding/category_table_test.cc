#include "core/encoding/category_table.h"

#include <cmath>

#include "gtest/gtest.h"

namespace prequel::category_table_test {
namespace {

using Values = std::vector<std::string>;

TEST(CategoryTable, SlotsAreInOrderOfAppearance) {
  CategoryTable table;
  EXPECT_EQ(table.Find("red"), -1);
  table.Append("red");
  table.Append("");
  table.Append(std::string("\0b", 2));
  EXPECT_EQ(table.Find("red"), 0);
  EXPECT_EQ(table.Find(""), 1);
  EXPECT_EQ(table.Find(std::string("\0b", 2)), 2);
  EXPECT_EQ(table.Find(std::string("\0c", 2)), -1);
  EXPECT_EQ(table.size(), 3);
}

TEST(CategoryTable, FromValuesRestoresAndRejects) {
  const absl::StatusOr<CategoryTable> table = CategoryTable::FromValues({"b", "a"});
  ASSERT_TRUE(table.ok());
  EXPECT_EQ(table->Find("a"), 1);
  EXPECT_EQ(table->values(), (Values{"b", "a"}));
  EXPECT_EQ(CategoryTable::FromValues({"b", "a", "b"}).status().code(),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(CategoryTable::FromValues({std::string(1025, 'x')}).status().code(),
            absl::StatusCode::kDataLoss);
}

TEST(CategoryTable, FindsAValueHoweverItIsSpelled) {
  CategoryTable table;
  for (const char* value : {"17.0", "True", "b"}) table.Append(value);
  EXPECT_EQ(table.Find("17"), 0);
  EXPECT_EQ(table.Find("+17.00"), 0);
  EXPECT_EQ(table.Find("true"), 1);
  EXPECT_EQ(table.Find("1"), 1);
  EXPECT_EQ(table.Find("b "), 2);
  EXPECT_EQ(table.Find("017"), -1);
  SharedTable shared = std::make_shared<const CategoryTable>(table);
  AppendNew({"17", "TRUE", " b", "c", "c "}, 10, false, shared);
  EXPECT_EQ(shared->values(), (Values{"17.0", "True", "b", "c"}));
}

TEST(CategoryTable, TwoSpellingsOfAValueAreNoTable) {
  for (const Values& values : {Values{"1.0", "1"}, Values{"b", "1", "True"}, Values{"a", "a"}}) {
    EXPECT_EQ(CategoryTable::FromValues(values).status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(AppendNew, CopiesOnlyToGrow) {
  SharedTable table = std::make_shared<const CategoryTable>();
  const SharedTable before = table;
  AppendNew({"a", "b", "a"}, 3, false, table);
  EXPECT_EQ(before->size(), 0);
  EXPECT_EQ(table->values(), (Values{"a", "b"}));
  const SharedTable grown = table;
  AppendNew({"b", "a"}, 3, false, table);
  EXPECT_EQ(table, grown);
}

TEST(AppendNew, StopsWhenFull) {
  SharedTable table = std::make_shared<const CategoryTable>();
  AppendNew({"a", "", "b", "c", "a"}, 2, true, table);
  EXPECT_EQ(table->values(), (Values{"a", "b"}));
}

}  // namespace
}  // namespace prequel::category_table_test
