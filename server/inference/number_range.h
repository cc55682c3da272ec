// What the numbers of each datatype of the open inference protocol may be.
#pragma once

#include <optional>
#include <string_view>

namespace prequel {

struct NumberRange {
  double least = 0, most = 0;
  bool whole = true;
};

// RangeOf is nothing for a datatype that there is not, or that is not of numbers.
std::optional<NumberRange> RangeOf(std::string_view datatype);

}  // namespace prequel
