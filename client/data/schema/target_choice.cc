#include "client/data/schema/target_choice.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "absl/strings/str_cat.h"
#include "client/data/number.h"
#include "client/data/quoted.h"
#include "client/data/schema/feature_choice.h"
#include "client/data/wire_limits.h"

namespace prequel::client {
namespace {

constexpr std::size_t kMaxIntegerClasses = 20;
constexpr std::size_t kMaxTextClasses = 100;
constexpr std::size_t kAmbiguous = 10;  // so few whole numbers may be classes, counts or values
constexpr std::uint32_t kMaxRoom = 8;

absl::Status Refused(const std::string& name, const std::string& what) {
  return absl::InvalidArgumentError(absl::StrCat("the target ", Quoted(name), " ", what));
}

// The distinct values as numbers, ascending. REQUIRES a numeric column.
std::set<double> Numbers(const TargetSummary& summary) {
  std::set<double> numbers;
  for (const auto& [text, count] : summary.values) numbers.insert(ParseNumber(text).value_or(0));
  return numbers;
}

// Doubles tell whole numbers apart up to 2⁵³ only; texts tell "1" from "1.0".
std::size_t DistinctOf(const TargetSummary& summary) {
  if (!summary.column.numeric()) return summary.values.size();
  const std::set<double> numbers = Numbers(summary);
  const bool exact = std::max(-*numbers.begin(), *numbers.rbegin()) < 0x1p53;
  return exact ? numbers.size() : summary.values.size();
}

bool LooksLikeClasses(const TargetSummary& summary) {
  if (!summary.column.numeric()) return true;
  const std::set<double> numbers = Numbers(summary);
  if (!summary.column.integral() || numbers.size() > kMaxIntegerClasses) return false;
  return numbers == std::set<double>{0, 1} ||
         static_cast<std::int64_t>(5 * numbers.size()) <= summary.column.values;
}

bool AreCounts(const TargetSummary& summary) {
  return summary.column.integral() && *Numbers(summary).begin() >= 0;
}

// What is learned as a number by default: counts that vary more than Poisson's, or any others.
bool AreOverdispersedCounts(const TargetSummary& summary) {
  return summary.column.integral() && summary.counts.Overdispersed();
}

// Whether a label could be taken for a number: such labels must be listed, for a column of targets
// is one of text or one of numbers as its first cell has it.
bool HasNumber(const TargetSummary& summary) { return summary.column.numbers > 0; }

// Good (1953): the share of rows with a label that was never seen before is about that of rows with
// a label that was seen once. So a place for each of those, and one more.
std::uint32_t Room(const TargetSummary& summary) {
  std::uint32_t once = 0;
  for (const auto& [text, count] : summary.values) once += count == 1 ? 1 : 0;
  return std::min(once + 1, kMaxRoom);
}

void ListLabels(const TargetSummary& summary, v1::Target& target) {
  std::vector<std::string> labels;
  labels.reserve(summary.values.size());
  for (const auto& [text, count] : summary.values) labels.push_back(text);
  if (summary.column.numeric()) {
    std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return ParseNumber(a).value_or(0) < ParseNumber(b).value_or(0);
    });
  }
  target.mutable_labels()->Assign(labels.begin(), labels.end());
}

// Classes by number where they are 0 … C−1, by place where they are texts and may be more, by label
// otherwise. Returns what to add to the note.
std::string SetClasses(const TargetSummary& summary, const std::string& likelihood,
                       v1::Target& target) {
  const bool numeric = summary.column.numeric();
  const std::set<double> numbers =
      summary.column.integral() ? Numbers(summary) : std::set<double>();
  if (!numbers.empty() && *numbers.begin() == 0 &&
      *numbers.rbegin() == static_cast<double>(numbers.size() - 1)) {
    // Two classes 0 and 1 are what bernoulli means; naming their number adds nothing.
    if (likelihood != "bernoulli")
      target.set_num_classes(static_cast<std::uint32_t>(numbers.size()));
    return "";
  }
  if (numeric || HasNumber(summary) || likelihood == "bernoulli") {
    ListLabels(summary, target);
    if (numeric || likelihood != "bernoulli") return "";
    return "; a third label will be refused (--likelihood categorical has room for one)";
  }
  const std::uint32_t room = Room(summary);
  target.set_num_classes(static_cast<std::uint32_t>(summary.values.size()) + room);
  return absl::StrCat(", with room for ", room, " new ", room == 1 ? "label" : "labels",
                      " (--labels lists them instead, and refuses others)");
}

// The flag that chooses otherwise.
std::string Otherwise(const TargetSummary& summary, bool classes) {
  if (!summary.column.integral()) return "";
  if (!classes && AreOverdispersedCounts(summary)) {
    return absl::StrCat(", since they look like counts: of mean ",
                        RoundedNumber(summary.counts.mean(), 3), " and variance ",
                        RoundedNumber(summary.counts.variance(), 3),
                        "; as values they are learned with --likelihood gaussian, as counts that "
                        "vary no more than their mean with poisson");
  }
  const std::size_t distinct = DistinctOf(summary);
  const std::string counts =
      AreCounts(summary) ? ", as counts with poisson or negative_binomial" : "";
  if (classes && distinct > 2) {
    return absl::StrCat("; as values they are learned with --likelihood gaussian", counts);
  }
  if (!classes && distinct <= kAmbiguous) {
    return absl::StrCat("; as classes they are learned with --likelihood categorical", counts);
  }
  if (!classes && AreCounts(summary)) {
    return "; as counts they are learned with --likelihood poisson or negative_binomial";
  }
  return "";
}

std::string MissingNote(const TargetSummary& summary) {
  const std::optional<SeenCell>& word = summary.column.missing_word;
  if (!word.has_value() || summary.column.numeric()) return "";
  const std::int64_t rows = summary.column.missing_words;
  const std::string many = rows > 1 ? absl::StrCat(rows, " rows, the first in ") : "";
  return absl::StrCat("; ", Quoted(word->text), " (", many, "line ", word->line,
                      ") means not known, unless --labels lists it");
}

absl::Status CheckClasses(const std::string& name, const TargetSummary& summary,
                          const TargetWish& wish) {
  const std::optional<SeenCell>& too_long = summary.column.too_long;
  if (too_long.has_value()) {
    return Refused(name, absl::StrCat("has a text of more than ", kMaxTextBytes, " bytes in line ",
                                      too_long->line, ": too long for a label"));
  }
  if (!wish.labels.empty() || wish.num_classes > 0) return absl::OkStatus();
  if (summary.values.size() > kMaxTextClasses) {
    return Refused(name, absl::StrCat("has more than ", kMaxTextClasses,
                                      " distinct values; name a --likelihood, or is it the wrong "
                                      "column?"));
  }
  if (DistinctOf(summary) < 2) {
    return Refused(name, absl::StrCat("has one value in every row: ",
                                      Quoted(summary.values.begin()->first), MissingNote(summary)));
  }
  return absl::OkStatus();
}

absl::Status CheckValues(const std::string& name, const TargetSummary& summary,
                         const std::string& likelihood) {
  if (summary.column.numeric()) return absl::OkStatus();
  const SeenCell& cell = *summary.column.not_a_number;
  return Refused(
      name, absl::StrCat("has ", Quoted(cell.text), " in line ", cell.line,
                         ", which is no number, and likelihood ", likelihood, " learns numbers"));
}

// Before any choice: what no likelihood could mean. Few texts between numbers may be classes.
absl::Status CheckColumn(const std::string& name, const TargetSummary& summary) {
  const ColumnSummary& column = summary.column;
  if (column.values == 0) return Refused(name, "has no value in any row");
  if (MomentFormOf(column).has_value()) {
    return Refused(name, absl::StrCat("has dates or times, such as ", Quoted(column.value->text),
                                      ": predict a number or a class, for example the days until "
                                      "then"));
  }
  const bool few = summary.values.size() <= kMaxIntegerClasses && column.almost_numbers == 0;
  if (!column.numeric() && few) return absl::OkStatus();
  return CheckReadable(name, column, "; a target that is not known is an empty cell");
}

}  // namespace

void TargetSummary::See(std::int64_t line, std::string_view cell) {
  column.See(line, cell);
  const std::string_view text = Trim(cell);
  if (IsMissing(text) || text.size() > kMaxTextBytes) return;
  const std::optional<double> number = ParseNumber(text);
  if (number.has_value() && std::isfinite(*number)) counts.See(*number);
  const auto known = values.find(std::string(text));
  if (known != values.end()) {
    ++known->second;
  } else if (values.size() < kKept) {
    values.emplace(text, 1);
  }
}

absl::StatusOr<TargetChoice> ChooseTarget(const std::string& name, const TargetSummary& summary,
                                          const TargetWish& wish) {
  absl::Status status = CheckColumn(name, summary);
  if (!status.ok()) return status;
  const bool counted = !wish.labels.empty() || wish.num_classes > 0;
  TargetChoice choice;
  choice.target.set_name(name);
  choice.target.set_allow_missing(summary.column.missing > 0);
  choice.likelihood = wish.likelihood;
  const bool classes = wish.likelihood.empty()
                           ? counted || LooksLikeClasses(summary)
                           : wish.likelihood == "bernoulli" || wish.likelihood == "categorical";
  status = classes
               ? CheckClasses(name, summary, wish)
               : CheckValues(name, summary, wish.likelihood.empty() ? "gaussian" : wish.likelihood);
  if (!status.ok()) return status;
  const std::size_t distinct = DistinctOf(summary);
  const std::size_t wished = std::max<std::size_t>(wish.labels.size(), wish.num_classes);
  if (wish.likelihood.empty()) {
    const std::size_t count = wished > 0 ? wished : distinct;
    const char* values = AreOverdispersedCounts(summary) ? "negative_binomial" : "gaussian";
    choice.likelihood = !classes ? values : count == 2 ? "bernoulli" : "categorical";
    choice.note = absl::StrCat("target ", Quoted(name), " has ",
                               summary.values.size() < TargetSummary::kKept ? "" : "at least ",
                               distinct, " distinct values: likelihood ", choice.likelihood);
  }
  std::string room;
  if (classes && !counted) room = SetClasses(summary, choice.likelihood, choice.target);
  if (!choice.note.empty()) {
    absl::StrAppend(&choice.note, room, Otherwise(summary, classes), MissingNote(summary));
  }
  return choice;
}

}  // namespace prequel::client
