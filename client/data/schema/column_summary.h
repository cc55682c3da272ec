// What was seen of one column of a file.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "client/data/moment.h"
#include "client/data/schema/distinct_count.h"

namespace prequel::client {

// A cell to name in a message; its text may be cut.
struct SeenCell {
  std::int64_t line = 0;
  std::string text;
};

// Counts and a few cells: a few kilobytes however long the column is. Cells are seen without the
// blanks around them.
struct ColumnSummary {
  std::int64_t values = 0;  // cells that are not missing; each is one of:
  std::int64_t numbers = 0;
  std::int64_t almost_numbers = 0;  // NumberAdvice knows how to write them
  std::int64_t moments = 0;         // LooksLikeMoment
  std::int64_t integers = 0;        // of the numbers
  std::int64_t compact_dates = 0;   // of the integers: eight digits such as 20260131
  std::int64_t months = 0;          // texts such as 2026-01
  std::int64_t missing = 0;         // empty, or a word for no value
  std::int64_t missing_words = 0;   // of them, not empty
  // Per form of kMomentForms: whether every value so far is of it.
  std::array<bool, kMomentForms.size()> fits;
  DistinctCount distinct;     // texts, the empty one and words for no value included
  std::uint64_t content = 0;  // a hash of all cells in order

  // The first cell that is …
  std::optional<SeenCell> value;
  std::optional<SeenCell> not_a_number;  // a value, and none
  std::optional<SeenCell> almost_number;
  std::optional<SeenCell> other_offset;  // a moment ahead of UTC by more or less than the first one
  std::optional<SeenCell> misfit;        // of no form that all values before it are of
  std::optional<SeenCell> missing_word;  // missing, and not empty
  std::optional<SeenCell> leading_zero;  // an integer that begins with a zero and has more digits
  std::optional<SeenCell> inexact;    // an integer beyond 2⁵³, which doubles do not tell apart
  std::optional<SeenCell> too_large;  // a number beyond kMaxMagnitude
  std::optional<SeenCell> too_long;   // a text beyond kMaxTextBytes

  std::optional<double> offset;  // of the first moment

  ColumnSummary() { fits.fill(true); }
  void See(std::int64_t line, std::string_view cell);

  bool FitsOne() const { return std::find(fits.begin(), fits.end(), true) != fits.end(); }
  bool numeric() const { return values > 0 && numbers == values; }
  bool integral() const { return values > 0 && integers == values; }
};

}  // namespace prequel::client
