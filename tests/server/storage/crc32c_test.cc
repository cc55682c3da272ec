#include "server/storage/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace prequel {
namespace {

// RFC 3720, appendix B.4.
TEST(Crc32cTest, AgreesWithTheStandardsVectors) {
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\0')), 0x8a9136aau);
  EXPECT_EQ(ExtendCrc32c(0, std::string(32, '\xff')), 0x62a8ab43u);
  std::string ascending;
  for (char i = 0; i < 32; ++i) ascending.push_back(i);
  EXPECT_EQ(ExtendCrc32c(0, ascending), 0x46dd794eu);
  EXPECT_EQ(ExtendCrc32c(0, "123456789"), 0xe3069283u);
}

TEST(Crc32cTest, ExtendsAcrossAnySplit) {
  const std::string bytes = "a minibatch in two parts";
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    EXPECT_EQ(ExtendCrc32c(ExtendCrc32c(0, bytes.substr(0, split)), bytes.substr(split)),
              ExtendCrc32c(0, bytes));
  }
}

}  // namespace
}  // namespace prequel
