#include "server/listening/descriptors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace prequel::descriptors_test {
namespace {

DescriptorShares Divided(std::int64_t limit) {
  const absl::StatusOr<DescriptorShares> shares = DivideDescriptors(limit);
  EXPECT_TRUE(shares.ok()) << shares.status();
  return shares.value_or(DescriptorShares());
}

TEST(DescriptorsTest, EachHasAShareAndSomeAreLeft) {
  for (const std::int64_t limit : {256, 1000, 1024, 4096, 20'000, 1 << 20, 2'147'483'647}) {
    const DescriptorShares shares = Divided(limit);
    EXPECT_GE(shares.store, 32) << limit;
    EXPECT_GE(shares.http, 16) << limit;
    EXPECT_GE(shares.grpc, 64) << limit;
    EXPECT_EQ(std::int64_t{shares.store} + shares.http + shares.grpc, limit - 64) << limit;
  }
}

TEST(DescriptorsTest, WhereThereAreManyConnectionsHaveThem) {
  const DescriptorShares shares = Divided(1 << 20);
  EXPECT_EQ(shares.store, 512);
  EXPECT_EQ(shares.http, 128);
  EXPECT_GT(shares.grpc, 1'000'000);
}

TEST(DescriptorsTest, TooFewAreAnErrorThatSaysHowManyItTakes) {
  const absl::Status few = DivideDescriptors(255).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(few));
  EXPECT_THAT(std::string(few.message()),
              ::testing::AllOf(::testing::HasSubstr("255"), ::testing::HasSubstr("256"),
                               ::testing::HasSubstr("ulimit -n")));
}

}  // namespace
}  // namespace prequel::descriptors_test
