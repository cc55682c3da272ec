// Numbers as people write them and programs do not read them.
#pragma once

#include <string>
#include <string_view>

namespace prequel::client {

// What keeps `text` from being a number and how to write it, for example "has a separator of
// thousands: write 1234"; "" when it is a number, or no more like one than any other text.
std::string NumberAdvice(std::string_view text);

}  // namespace prequel::client
