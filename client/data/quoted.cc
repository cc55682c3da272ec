#include "client/data/quoted.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel::client {
namespace {

constexpr std::size_t kShownBytes = 60;

}  // namespace

std::string Quoted(std::string_view text) {
  const std::string_view shown = v1::Utf8Prefix(text, kShownBytes);
  const bool readable = v1::IsUtf8(shown);
  std::string quoted = "'";
  for (const char c : shown) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\r') {
      quoted += "\\r";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !readable)) {
      absl::StrAppendFormat(&quoted, "\\x%02X", byte);
    } else {
      quoted.push_back(c);
    }
  }
  return absl::StrCat(quoted, shown.size() < text.size() ? "…'" : "'");
}

}  // namespace prequel::client
