#include "client/data/schema/feature_choice.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "client/data/quoted.h"
#include "client/data/schema/number_advice.h"
#include "client/data/wire_limits.h"

namespace prequel::client {
namespace {

constexpr std::int64_t kMaxCategories = 256;
constexpr std::int64_t kHashBuckets = 64;  // for more than these
constexpr std::int64_t kLeastRoom = 2;     // slots for texts that the file does not have

absl::Status CellError(const SeenCell& cell, const std::string& name, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", cell.line, ", column ", Quoted(name), ": ", what));
}

bool AreMost(std::int64_t count, const ColumnSummary& summary) {
  return summary.values > 0 && 10 * count >= 9 * summary.values;
}

absl::Status CheckMoments(const std::string& name, const ColumnSummary& summary,
                          const std::string& otherwise) {
  if (!AreMost(summary.moments, summary)) return absl::OkStatus();
  if (MomentFormOf(summary).has_value()) return absl::OkStatus();
  if (summary.FitsOne()) {
    return CellError(*summary.value, name,
                     absl::StrCat(Quoted(summary.value->text),
                                  " may have the day first or the month first, and no row decides: "
                                  "write 2024-01-31",
                                  otherwise));
  }
  return CellError(*summary.misfit, name,
                   absl::StrCat(Quoted(summary.misfit->text),
                                " stands among dates or times, and is none of a form that is known "
                                "and fits the rest: write 2024-01-31, 2024-01-31 10:15 or 10:15",
                                otherwise));
}

v1::Feature CategoricalFeature(const std::string& name, const ColumnSummary& summary) {
  v1::Feature feature;
  feature.set_name(name);
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  const std::int64_t texts = std::min(summary.distinct.count(), summary.values + summary.missing);
  if (texts > kMaxCategories) {
    feature.set_max_categories(static_cast<std::uint32_t>(kMaxCategories));
    feature.set_hash_buckets(kHashBuckets);
  } else {
    const std::int64_t room = std::max(kLeastRoom, texts / 8);
    feature.set_max_categories(static_cast<std::uint32_t>(std::min(texts + room, kMaxCategories)));
  }
  return feature;
}

// Says how a categorical feature's texts get columns, where a person might not expect it.
std::string CategoricalNote(const std::string& name, const ColumnSummary& summary, bool as_text) {
  const std::int64_t texts = std::min(summary.distinct.count(), summary.values + summary.missing);
  const std::string column = absl::StrCat("column ", Quoted(name));
  if (texts > kMaxCategories) {
    const std::string many = absl::StrCat(summary.distinct.exact() ? "" : "about ", texts);
    const bool own = 2 * texts > summary.values;
    return absl::StrCat(column, " has ", many, " different texts",
                        own ? ", in most rows one of their own" : "", ": the first ",
                        kMaxCategories, " get a column each, all others are hashed into ",
                        kHashBuckets, ", which they share; --ignore leaves it out");
  }
  if (as_text) return "";
  if (summary.months > 0 && summary.months == summary.values) {
    return absl::StrCat(
        column, " has months such as ", Quoted(summary.value->text),
        ", and is taken for text: each month that is new is a new category; with a day, "
        "as 2024-01-31, they are dates");
  }
  if (summary.numbers == 0) return "";
  return absl::StrCat(column, " has numbers, and in line ", summary.not_a_number->line, " ",
                      Quoted(summary.not_a_number->text), ": all are taken for text");
}

// Says so where the cells of a numeric feature may not be meant as numbers.
std::string NumericNote(const std::string& name, const ColumnSummary& summary) {
  const std::string column = absl::StrCat("column ", Quoted(name));
  const auto such_as = [](const SeenCell& cell) {
    return absl::StrCat(" such as ", Quoted(cell.text), " (line ", cell.line, ")");
  };
  if (summary.leading_zero.has_value()) {
    return absl::StrCat(column, " has numbers with zeros before them,",
                        such_as(*summary.leading_zero),
                        ", and is taken for numbers; --text takes it for text");
  }
  if (summary.inexact.has_value()) {
    return absl::StrCat(column, " has integers beyond 2^53,", such_as(*summary.inexact),
                        ", which numbers do not tell apart; --text takes it for text");
  }
  if (summary.compact_dates == summary.values) {
    return absl::StrCat(column, " has numbers that look like dates,", such_as(*summary.value),
                        ", and is taken for numbers; written as 2024-01-31 they are dates, --text "
                        "takes it for text");
  }
  return "";
}

}  // namespace

absl::Status CheckReadable(const std::string& name, const ColumnSummary& summary,
                           const std::string& otherwise) {
  if (summary.numeric()) {
    if (!summary.too_large.has_value()) return absl::OkStatus();
    return CellError(
        *summary.too_large, name,
        absl::StrCat(Quoted(summary.too_large->text),
                     " is infinite or beyond 1e100: mend it, or leave the cell empty"));
  }
  const std::int64_t numbers = summary.numbers + summary.almost_numbers;
  if (summary.almost_numbers > 0 && AreMost(numbers, summary)) {
    const SeenCell& cell = *summary.almost_number;
    return CellError(cell, name,
                     absl::StrCat(Quoted(cell.text), " ", NumberAdvice(cell.text), otherwise));
  }
  if (AreMost(summary.numbers, summary)) {
    const SeenCell& cell = *summary.not_a_number;
    return CellError(
        cell, name,
        absl::StrCat(Quoted(cell.text), " is not a number, as ", summary.numbers, " of the ",
                     summary.values, " values are: mend it, or leave the cell empty", otherwise));
  }
  return CheckMoments(name, summary, otherwise);
}

std::optional<MomentForm> MomentFormOf(const ColumnSummary& summary) {
  std::optional<MomentForm> form;
  for (std::size_t i = 0; i < kMomentForms.size(); ++i) {
    if (summary.values == 0 || !summary.fits[i]) continue;
    if (!form.has_value()) form = kMomentForms[i];
    if (form->order != kMomentForms[i].order) return std::nullopt;
  }
  return form;
}

absl::StatusOr<FeatureChoice> ChooseFeature(const std::string& name, const ColumnSummary& summary,
                                            bool as_text) {
  FeatureChoice choice;
  choice.feature.set_name(name);
  choice.feature.set_kind(v1::Feature::KIND_NUMERIC);
  choice.feature.set_allow_missing(summary.missing > 0);
  if (!as_text) {
    const std::string otherwise = "; --text takes the column for text, --ignore leaves it out";
    absl::Status readable = CheckReadable(name, summary, otherwise);
    if (!readable.ok()) return readable;
    if (summary.numeric()) {
      choice.note = NumericNote(name, summary);
      return choice;
    }
    if (const std::optional<MomentForm> form = MomentFormOf(summary); form.has_value()) {
      choice.feature.set_name(MomentFeatureName(name, *form));
      choice.feature.set_width(static_cast<std::uint32_t>(MomentWidth(*form)));
      choice.note =
          absl::StrCat("column ", Quoted(name), " has ",
                       form->kind == MomentForm::Kind::kTime ? "times" : "dates", " such as ",
                       Quoted(summary.value->text), ": feature ", Quoted(choice.feature.name()),
                       ", ", choice.feature.width(), " numbers");
      if (summary.other_offset.has_value()) {
        absl::StrAppend(&choice.note, "; its offsets differ (", Quoted(summary.other_offset->text),
                        " in line ", summary.other_offset->line,
                        "): as an input it is read by the clock on the wall, and as --time by "
                        "instants");
      }
      return choice;
    }
  }
  if (summary.too_long.has_value()) {
    return CellError(
        *summary.too_long, name,
        absl::StrCat("the text exceeds ", kMaxTextBytes,
                     " bytes, too long for a category; --ignore leaves the column out"));
  }
  choice.feature = CategoricalFeature(name, summary);
  choice.note = CategoricalNote(name, summary, as_text);
  return choice;
}

}  // namespace prequel::client
