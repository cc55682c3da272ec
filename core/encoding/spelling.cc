#include "core/encoding/spelling.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace prequel {
namespace {

bool AreDigits(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

std::string_view Trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace

std::string_view Spelled(std::string_view text) {
  text = Trimmed(text);
  const absl::string_view word(text.data(), text.size());
  if (absl::EqualsIgnoreCase(word, "true")) return "1";
  if (absl::EqualsIgnoreCase(word, "false")) return "0";
  std::string_view number = text.substr(text.starts_with('+') ? 1 : 0);
  const std::string_view digits = number.substr(text.starts_with('-') ? 1 : 0);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::string_view whole = digits.substr(0, point);
  const std::string_view fraction = digits.substr(std::min(point + 1, digits.size()));
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return text;
  if (!AreDigits(whole) || !AreDigits(fraction)) return text;
  if (point < digits.size()) {
    number.remove_suffix(number.size() - 1 - number.find_last_not_of('0'));
    if (number.ends_with('.')) number.remove_suffix(1);
  }
  return number == "-0" ? "0" : number;
}

}  // namespace prequel
