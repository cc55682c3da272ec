// "Did you mean …?"
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prequel::client {

// The name with the smallest edit distance to `wanted` (letter case ignored), or "" when no name is
// near: more than a third of the longer one's letters would have to change, or more than three. Two
// letters that changed places count as one.
std::string NearestName(std::string_view wanted, const std::vector<std::string>& names);

}  // namespace prequel::client
