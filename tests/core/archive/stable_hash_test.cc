#include "core/archive/stable_hash.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace prequel::stable_hash_test {
namespace {

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

}  // namespace
}  // namespace prequel::stable_hash_test
