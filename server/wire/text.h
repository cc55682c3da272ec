// Text of any origin as a string field carries it.
#pragma once

#include <string>
#include <string_view>

#include "absl/strings/escaping.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel::wire {

// `text` when it is UTF-8, else its bytes escaped. What the wire brings is UTF-8, but a model file
// is a stranger's, and one bad label must not make a whole answer unreadable.
inline std::string Readable(std::string_view text) {
  return v1::IsUtf8(text) ? std::string(text) : absl::CHexEscape(std::string(text));
}

}  // namespace prequel::wire
