// "Did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prequel::client {

// The name with the smallest edit distance to `wanted` (letter case ignored), or "" when none is
// near: more than a third of the letters, and more than two, would have to change.
std::string NearestName(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace prequel::client
