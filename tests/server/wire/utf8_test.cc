#include "proto/prequel/v1/utf8.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "prequel/v1/batch.pb.h"
#include "server/wire/text.h"

namespace prequel::wire::utf8_test {
namespace {

// Whether a message with this string can be read: what the wire itself thinks of it.
bool Travels(const std::string& text) {
  std::string message = {'\x0A', static_cast<char>(text.size())};  // field 1, its length
  return v1::TextColumn().ParseFromString(message + text);
}

// Every string of one and two bytes, and many longer ones of bytes from the edges of the ranges.
TEST(Utf8Test, AgreesWithTheWire) {
  int valid = 0;
  const auto check = [&valid](const std::string& text) {
    const bool is = v1::IsUtf8(text);
    ASSERT_EQ(is, Travels(text)) << absl::CHexEscape(text);
    valid += is ? 1 : 0;
  };
  for (int a = 0; a < 256; ++a) {
    check({static_cast<char>(a)});
    for (int b = 0; b < 256; ++b) check({static_cast<char>(a), static_cast<char>(b)});
  }
  const std::string edges =
      "a\x7F\x80\x8F\x90\x9F\xA0\xBF\xC1\xC2\xDF\xE0\xE1\xEC\xED\xEE\xEF\xF0\xF1\xF3\xF4\xF5\xFF";
  std::mt19937 random(1);
  for (int i = 0; i < 300'000; ++i) {
    std::string text;
    for (auto length = 3 + random() % 3; length > 0; --length) {
      text.push_back(edges[random() % edges.size()]);
    }
    check(text);
  }
  EXPECT_GT(valid, 20'000);
}

TEST(Utf8Test, IsCutBetweenCharacters) {
  const std::string text = "aäö€";
  EXPECT_EQ(v1::Utf8Prefix(text, 100), text);
  EXPECT_EQ(v1::Utf8Prefix(text, 2), "a");
  EXPECT_EQ(v1::Utf8Prefix(text, 3), "aä");
  EXPECT_EQ(v1::Utf8Prefix(text, 7), "aäö");
  EXPECT_EQ(v1::Utf8Prefix(text, 0), "");
}

TEST(Utf8Test, TextOfAnyOriginCanBeRead) {
  EXPECT_EQ(Readable("größer"), "größer");
  EXPECT_EQ(Readable("gr\xF6\xDF"), "gr\\xf6\\xdf");
  EXPECT_TRUE(Travels(Readable("\xFF\xC3")));
}

}  // namespace
}  // namespace prequel::wire::utf8_test
