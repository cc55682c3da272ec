#include "client/data/schema/number_advice.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/data/number.h"

namespace prequel::client {
namespace {

constexpr std::size_t kMaxBytes = 40;  // of what a person would call a number

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "1234.5" of "1,234.5" with separator ","; "" when the groups are not of three digits.
std::string WithoutGroups(std::string_view text, std::string_view separator) {
  std::string joined;
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    joined.push_back(text.front());
    text.remove_prefix(1);
  }
  std::size_t digits = 0, groups = 0;
  while (!text.empty() && (IsDigit(text.front()) || text.starts_with(separator))) {
    const bool next_group = !IsDigit(text.front());
    if (next_group && (groups == 0 ? digits < 1 || digits > 3 : digits != 3)) return "";
    if (!next_group) joined.push_back(text.front());
    digits = next_group ? 0 : digits + 1;
    groups += next_group ? 1 : 0;
    text.remove_prefix(next_group ? separator.size() : 1);
  }
  if (groups == 0 || digits != 3) return "";
  absl::StrAppend(&joined, std::string(text));
  return ParseNumber(joined).has_value() && !text.starts_with('e') ? joined : "";
}

// "1234.5" of "1234,5" and of "1.234,5"; "" of anything else.
std::string WithPoint(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == text.npos || comma + 1 == text.size()) return "";
  const std::string_view whole = text.substr(0, comma), decimals = text.substr(comma + 1);
  if (!std::all_of(decimals.begin(), decimals.end(), IsDigit)) return "";
  std::string joined = WithoutGroups(whole, ".");
  if (joined.empty()) joined = std::string(whole);
  if (joined.empty() || !IsDigit(joined.back()) || joined.find('.') != joined.npos) return "";
  absl::StrAppend(&joined, ".", std::string(decimals));
  return ParseNumber(joined).has_value() ? joined : "";
}

// What is left of an amount without its unit, or `text` itself.
std::string_view WithoutUnit(std::string_view text) {
  for (const std::string_view unit : {"$", "€", "£", "¥", "%"}) {
    if (text.starts_with(unit)) return Trim(text.substr(unit.size()));
    if (text.ends_with(unit)) return Trim(text.substr(0, text.size() - unit.size()));
  }
  return text;
}

}  // namespace

std::string NumberAdvice(std::string_view text) {
  text = Trim(text);
  if (text.empty() || text.size() > kMaxBytes || ParseNumber(text).has_value()) return "";
  const std::string_view amount = WithoutUnit(text);
  if (amount.size() < text.size()) {
    if (ParseNumber(amount).has_value()) {
      return absl::StrCat("is a number with a unit: write ", std::string(amount));
    }
    return NumberAdvice(amount).empty() ? ""
                                        : "is a number with a unit and separators: write 1234.5";
  }
  // Both when "1,234" is 1.234: three digits behind one comma are a group, as most would read it.
  for (const std::string_view separator : {",", " ", "'", "’", "\u00A0", "\u202F"}) {
    const std::string joined = WithoutGroups(text, separator);
    if (!joined.empty()) return absl::StrCat("has a separator of thousands: write ", joined);
  }
  const std::string pointed = WithPoint(text);
  if (!pointed.empty()) return absl::StrCat("has a decimal comma: write ", pointed);
  const std::string joined = WithoutGroups(text, ".");
  if (!joined.empty()) return absl::StrCat("has a separator of thousands: write ", joined);
  return "";
}

}  // namespace prequel::client
