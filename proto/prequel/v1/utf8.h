// What a `string` field of the wire contract may hold.
#pragma once

#include <cstddef>
#include <string_view>

namespace prequel::v1 {

// Well-formed UTF-8 (RFC 3629): nothing overlong, no surrogates, nothing beyond U+10FFFF. A message
// with any other string in it is written, but nobody can read it.
inline bool IsUtf8(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  for (std::size_t i = 0; i < text.size();) {
    const unsigned char lead = byte(i);
    if (lead < 0x80) {
      ++i;
      continue;
    }
    if (lead < 0xC2 || lead > 0xF4) return false;
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    if (text.size() - i < size) return false;
    const unsigned char low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (byte(i + 1) < low || byte(i + 1) > high) return false;
    for (std::size_t k = 2; k < size; ++k) {
      if ((byte(i + k) & 0xC0) != 0x80) return false;
    }
    i += size;
  }
  return true;
}

// The first `size` bytes of `text` at most, cut between characters.
inline std::string_view Utf8Prefix(std::string_view text, std::size_t size) {
  if (text.size() <= size) return text;
  while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) --size;
  return text.substr(0, size);
}

}  // namespace prequel::v1
