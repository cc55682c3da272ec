// Identifiers that nobody else has.
#pragma once

#include <string>

namespace prequel::client {

// 128 random bits of the operating system, in 32 hexadecimal digits.
std::string UniqueId();

}  // namespace prequel::client
