#include "client/data/number.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace prequel::client {

std::string_view Trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::optional<double> ParseNumber(std::string_view text) {
  text = Trim(text);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error == std::errc::invalid_argument || stop != end) return std::nullopt;
  // The standard library leaves open which way a number was out of range.
  if (error == std::errc::result_out_of_range) {
    absl::from_chars(text.data(), end, value);
    if (std::abs(value) > 1) value = std::copysign(HUGE_VAL, value);
  }
  return value;
}

std::optional<double> ParseTruth(std::string_view text) {
  text = Trim(text);
  const absl::string_view word(text.data(), text.size());
  if (absl::EqualsIgnoreCase(word, "true")) return 1;
  if (absl::EqualsIgnoreCase(word, "false")) return 0;
  return std::nullopt;
}

bool IsMissing(std::string_view text) {
  constexpr std::array<std::string_view, 10> kWords = {"NA",   "N/A",  "n/a",  "#N/A", "#NA",
                                                       "<NA>", "NULL", "null", "None", "?"};
  text = Trim(text);
  if (text.empty()) return true;
  if (std::find(kWords.begin(), kWords.end(), text) != kWords.end()) return true;
  const std::optional<double> number = ParseNumber(text);
  return number.has_value() && std::isnan(*number);
}

std::string ShortestNumber(double value) {
  std::array<char, 32> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return std::string(buffer.data(), result.ptr);
}

std::string RoundedNumber(double value, int digits) {
  std::array<char, 64> buffer;
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                                    std::chars_format::general, digits);
  return std::string(buffer.data(), result.ptr);
}

}  // namespace prequel::client
