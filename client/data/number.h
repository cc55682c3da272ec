// Numbers as text, the same in every locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prequel::client {

// The whole of `text`, apart from surrounding blanks, as a decimal number. Accepts a leading '+'
// and, in any case, "nan" and "inf". Nothing for anything else.
std::optional<double> ParseNumber(std::string_view text);

// The shortest text that reads back as exactly `value`.
std::string ShortestNumber(double value);

// At most `digits` significant digits.
std::string RoundedNumber(double value, int digits);

// `text` without surrounding blanks and tabs.
std::string_view Trim(std::string_view text);

}  // namespace prequel::client
