#include "client/data/schema/column_summary.h"

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

void SeeNumber(std::int64_t line, std::string_view text, double number, ColumnSummary& summary) {
  ++summary.numbers;
  if (number == std::floor(number)) ++summary.integers;
  if (!(std::abs(number) <= kMaxMagnitude)) Remember(line, text, &summary.too_large);
}

void SeeText(std::int64_t line, std::string_view text, ColumnSummary& summary) {
  Remember(line, text, &summary.not_a_number);
  for (std::size_t i = 0; i < kMomentForms.size(); ++i) {
    summary.fits[i] = summary.fits[i] && ParseMoment(text, kMomentForms[i]).has_value();
  }
  if (!summary.FitsOne()) Remember(line, text, &summary.misfit);
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
    if (!text.empty()) Remember(line, text, &missing_word);
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
