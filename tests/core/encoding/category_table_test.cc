#include "core/encoding/category_table.h"

#include <cmath>

#include "gtest/gtest.h"

namespace prequel {
namespace {

using Values = std::vector<std::string>;

// Fowler, Noll, Vo: draft-eastlake-fnv, and MurmurHash3's fmix64 of 0 and 1.
TEST(StableHash, PublishedVectors) {
  EXPECT_EQ(Fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(Fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(Fnv1a("foobar"), 0x85944171f73967e8U);
  EXPECT_EQ(MurmurFinalizer(0), 0U);
  EXPECT_EQ(MurmurFinalizer(1), 0xb456bcfc34c2cb2cU);
  EXPECT_EQ(StableHash("foobar"), MurmurFinalizer(0x85944171f73967e8U));
}

TEST(StableHash, BucketsOfSimilarValuesAreEvenlyFilled) {
  for (const std::uint64_t buckets : {2, 16, 97, 1000}) {
    std::vector<double> counts(buckets, 0);
    const double n = 100000;
    for (int i = 0; i < 100000; ++i) ++counts[StableHash("user" + std::to_string(i)) % buckets];
    const double expected = n / static_cast<double>(buckets);
    double chi_square = 0;
    for (const double count : counts) chi_square += std::pow(count - expected, 2) / expected;
    const double freedom = static_cast<double>(buckets) - 1;
    EXPECT_NEAR(chi_square, freedom, 4 * std::sqrt(2 * freedom)) << buckets;
  }
}

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

TEST(AppendNew, CopiesOnlyToGrow) {
  SharedTable table = std::make_shared<const CategoryTable>();
  const SharedTable before = table;
  EXPECT_EQ(AppendNew({"a", "b", "a"}, 3, false, table), nullptr);
  EXPECT_EQ(before->size(), 0);
  EXPECT_EQ(table->values(), (Values{"a", "b"}));
  const SharedTable grown = table;
  EXPECT_EQ(AppendNew({"b", "a"}, 3, false, table), nullptr);
  EXPECT_EQ(table, grown);
}

TEST(AppendNew, StopsWhenFull) {
  SharedTable table = std::make_shared<const CategoryTable>();
  const Values values = {"a", "", "b", "c", "a"};
  const std::string* homeless = AppendNew(values, 2, true, table);
  EXPECT_EQ(homeless, &values[3]);
  EXPECT_EQ(table->values(), (Values{"a", "b"}));
}

TEST(Quoted, EscapesAndCuts) {
  EXPECT_EQ(Quoted("a\"b\n"), "\"a\\\"b\\n\"");
  EXPECT_EQ(Quoted("naïve"), "\"naïve\"");
  EXPECT_EQ(Quoted(std::string(39, 'x') + "ïe"), "\"" + std::string(39, 'x') + "…\"");
  EXPECT_EQ(Quoted(std::string(50, 'x')), "\"" + std::string(40, 'x') + "…\"");
}

}  // namespace
}  // namespace prequel
