// A cell or a name inside a message.
#pragma once

#include <string>
#include <string_view>

namespace prequel::client {

// 'text', on one line and bounded: control characters and bytes that are not UTF-8 are escaped, and
// what is beyond 60 bytes is cut off between characters.
std::string Quoted(std::string_view text);

}  // namespace prequel::client
