#include "client/data/schema/column_summary.h"

#include <algorithm>
#include <cmath>

#include "client/data/number.h"
#include "client/data/schema/number_advice.h"
#include "client/data/wire_limits.h"
#include "client/random.h"
#include "proto/prequel/v1/utf8.h"

namespace prequel::client {
namespace {

constexpr std::size_t kTextKept = 80;

void Remember(std::int64_t line, std::string_view text, std::optional<SeenCell>* cell) {
  if (!cell->has_value()) *cell = {line, std::string(v1::Utf8Prefix(text, kTextKept))};
}

bool AreDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int Number(std::string_view digits) {
  int number = 0;
  for (const char c : digits) number = 10 * number + (c - '0');
  return number;
}

bool IsYearAndMonth(std::string_view year_digits, std::string_view month_digits) {
  const int year = Number(year_digits), month = Number(month_digits);
  return year >= 1900 && year <= 2100 && month >= 1 && month <= 12;
}

// Whether eight digits are a year, a month and a day.
bool IsCompactDate(std::string_view digits) {
  const int day = Number(digits.substr(6));
  return IsYearAndMonth(digits.substr(0, 4), digits.substr(4, 2)) && day >= 1 && day <= 31;
}

// Whether a text is a month, "2026-01".
bool IsMonth(std::string_view text) {
  if (text.size() != 7 || text[4] != '-') return false;
  const std::string_view year = text.substr(0, 4), month = text.substr(5);
  return AreDigits(year) && AreDigits(month) && IsYearAndMonth(year, month);
}

// Whether doubles do not tell it from its neighbours.
bool IsBeyondDoubles(std::string_view digits) {
  constexpr std::string_view kLargest = "9007199254740992";  // 2⁵³
  return digits.size() == kLargest.size() ? digits > kLargest : digits.size() > kLargest.size();
}

// What makes one doubt that an integer is meant as a number.
void SeeInteger(std::int64_t line, std::string_view text, ColumnSummary& summary) {
  const bool sign = text.starts_with('-') || text.starts_with('+');
  const std::string_view digits = text.substr(sign ? 1 : 0);
  if (!AreDigits(digits)) return;
  if (digits.size() > 1 && digits.front() == '0') Remember(line, text, &summary.leading_zero);
  if (IsBeyondDoubles(digits)) Remember(line, text, &summary.inexact);
  if (!sign && digits.size() == 8 && IsCompactDate(digits)) ++summary.compact_dates;
}

void SeeNumber(std::int64_t line, std::string_view text, double number, ColumnSummary& summary) {
  ++summary.numbers;
  if (number == std::floor(number)) {
    ++summary.integers;
    SeeInteger(line, text, summary);
  }
  if (!(std::abs(number) <= kMaxMagnitude)) Remember(line, text, &summary.too_large);
}

void SeeText(std::int64_t line, std::string_view text, ColumnSummary& summary) {
  Remember(line, text, &summary.not_a_number);
  std::optional<Moment> moment;
  for (std::size_t i = 0; i < kMomentForms.size(); ++i) {
    if (!summary.fits[i]) continue;
    const std::optional<Moment> parsed = ParseMoment(text, kMomentForms[i]);
    summary.fits[i] = parsed.has_value();
    if (parsed.has_value()) moment = parsed;
  }
  if (moment.has_value() && !summary.offset.has_value()) summary.offset = moment->offset;
  if (moment.has_value() && moment->offset != *summary.offset) {
    Remember(line, text, &summary.other_offset);
  }
  if (!summary.FitsOne()) Remember(line, text, &summary.misfit);
  if (IsMonth(text)) ++summary.months;
  if (LooksLikeMoment(text)) {
    ++summary.moments;
  } else if (!NumberAdvice(text).empty()) {
    ++summary.almost_numbers;
    Remember(line, text, &summary.almost_number);
  }
}

}  // namespace

void ColumnSummary::See(std::int64_t line, std::string_view cell) {
  const std::string_view text = Trim(cell);
  const std::uint64_t hash = HashOf(text);
  distinct.Add(hash);
  content = Scatter(content ^ hash);
  if (text.size() > kMaxTextBytes) Remember(line, text, &too_long);
  if (IsMissing(text)) {
    ++missing;
    if (!text.empty()) {
      ++missing_words;
      Remember(line, text, &missing_word);
    }
    return;
  }
  ++values;
  Remember(line, text, &value);
  const std::optional<double> number = ParseNumber(text);
  if (number.has_value()) {
    fits.fill(false);
    Remember(line, text, &misfit);
    SeeNumber(line, text, *number, *this);
  } else {
    SeeText(line, text, *this);
  }
}

}  // namespace prequel::client
