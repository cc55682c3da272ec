#include "core/archive/crc32c.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace prequel::crc32c_test {
namespace {

struct Known {
  std::string bytes;
  std::uint32_t crc;
};

std::string Counting(int first, int step) {
  std::string bytes;
  for (int i = 0; i < 32; ++i) bytes += static_cast<char>(first + step * i);
  return bytes;
}

// RFC 3720, appendix B.4, and the check value of the CRC catalogue.
std::vector<Known> KnownAnswers() {
  const unsigned char read_command[48] = {
      0x01, 0xc0, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x00, 0x00, 0x04, 0x00,
      0x00, 0x00, 0x00, 0x14, 0x00, 0x00, 0x00, 0x18, 0x28, 0x00, 0x00, 0x00,
      0x00, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00};
  return {{"", 0},
          {"123456789", 0xE3069283},
          {std::string(32, '\0'), 0x8A9136AA},
          {std::string(32, '\xff'), 0x62A8AB43},
          {Counting(0, 1), 0x46DD794E},
          {Counting(31, -1), 0x113FDB5C},
          {std::string(reinterpret_cast<const char*>(read_command), 48), 0xD9963A56}};
}

TEST(Crc32c, PublishedVectors) {
  for (const Known& known : KnownAnswers()) {
    EXPECT_EQ(Crc32c(known.bytes), known.crc);
    EXPECT_EQ(Crc32cByTable(known.bytes), known.crc);
  }
}

TEST(Crc32c, ExtendsAtEverySplitAndBothFormsAgree) {
  std::string bytes;
  for (int i = 0; i < 67; ++i) bytes += static_cast<char>(i * 37 + 11);
  const std::string_view view = bytes;
  const std::uint32_t whole = Crc32c(view);
  for (std::size_t split = 0; split <= bytes.size(); ++split) {
    EXPECT_EQ(Crc32c(view.substr(split), Crc32c(view.substr(0, split))), whole);
    EXPECT_EQ(Crc32cByTable(view.substr(split), Crc32cByTable(view.substr(0, split))), whole);
    EXPECT_EQ(Crc32c(view.substr(split)), Crc32cByTable(view.substr(split)));
  }
}

}  // namespace
}  // namespace prequel::crc32c_test
