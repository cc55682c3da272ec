// Numbers as text, the same in every locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace prequel::client {

// The whole of `text`, apart from surrounding blanks, as a decimal number. Accepts a leading '+'
// and, in any case, "nan" and "inf". A number too large for a double is infinite, one too small 0.
// Nothing for anything else.
std::optional<double> ParseNumber(std::string_view text);

// 1 for "true" and 0 for "false", in any case and with blanks around. Nothing for anything else.
std::optional<double> ParseTruth(std::string_view text);

// Whether a cell says that there is no value: blank, "nan" in any case, or one of the words that
// programs write for it: NA, N/A, n/a, #N/A, #NA, <NA>, NULL, null, None, ?.
bool IsMissing(std::string_view text);

// The shortest text that reads back as exactly `value`.
std::string ShortestNumber(double value);

// RoundedNumber has at most `digits` significant digits.
std::string RoundedNumber(double value, int digits);

// `text` without surrounding blanks and tabs.
std::string_view Trim(std::string_view text);

}  // namespace prequel::client
