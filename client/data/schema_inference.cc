#include "client/data/schema_inference.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/data/column_map.h"
#include "client/data/number.h"

namespace prequel::client {
namespace {

constexpr std::size_t kMaxIntegerClasses = 20;
constexpr std::size_t kMaxTextClasses = 100;
// Above the wire's default of 32 a table is sized by what was seen, above this values are hashed.
constexpr std::size_t kMaxCategories = 256;
constexpr std::size_t kDefaultCategories = 32;
constexpr std::size_t kDistinctKept = kMaxCategories + 1;

// What was seen of one column.
struct ColumnSummary {
  std::int64_t values = 0;  // not blank
  std::int64_t blanks = 0;
  std::int64_t numbers = 0;
  std::int64_t integers = 0;
  std::set<std::string> distinct;  // the first kDistinctKept

  bool numeric() const { return values > 0 && numbers == values; }
  bool integral() const { return values > 0 && integers == values; }
};

void See(const std::string& cell, ColumnSummary& summary) {
  const std::string_view text = Trim(cell);
  const std::optional<double> number = ParseNumber(text);
  if (text.empty() || (number && std::isnan(*number))) {
    ++summary.blanks;
    return;
  }
  ++summary.values;
  if (number) ++summary.numbers;
  if (number && *number == std::floor(*number)) ++summary.integers;
  if (summary.distinct.size() < kDistinctKept) summary.distinct.emplace(text);
}

absl::StatusOr<std::vector<bool>> ChooseInputs(const std::vector<std::string>& header,
                                               const InferenceOptions& options) {
  std::vector<bool> chosen(header.size(), options.inputs.empty());
  for (const std::vector<std::string>* names : {&options.inputs, &options.ignore}) {
    for (const std::string& name : *names) {
      absl::StatusOr<std::vector<std::size_t>> column = FindColumns(header, name, 1);
      if (!column.ok()) return column.status();
      chosen[column->front()] = names == &options.inputs;
    }
  }
  return chosen;
}

v1::Feature InferFeature(const std::string& name, const ColumnSummary& summary) {
  v1::Feature feature;
  feature.set_name(name);
  if (summary.numeric()) {
    feature.set_kind(v1::Feature::KIND_NUMERIC);
    feature.set_allow_missing(summary.blanks > 0);
    return feature;
  }
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  const std::size_t distinct = summary.distinct.size();
  if (distinct > kMaxCategories) {
    feature.set_hash_buckets(kMaxCategories);
  } else if (distinct > kDefaultCategories) {
    feature.set_max_categories(static_cast<std::uint32_t>(distinct));
  }
  return feature;
}

// The distinct values as numbers, ascending.
std::set<double> Values(const ColumnSummary& summary) {
  std::set<double> values;
  for (const std::string& text : summary.distinct) values.insert(ParseNumber(text).value_or(0));
  return values;
}

bool LooksLikeClasses(const ColumnSummary& summary) {
  if (!summary.numeric()) return true;
  const std::set<double> values = Values(summary);
  if (!summary.integral() || values.size() > kMaxIntegerClasses) return false;
  return values == std::set<double>{0, 1} ||
         static_cast<std::int64_t>(5 * values.size()) <= summary.values;
}

// Classes by number where they are 0..C-1, by label otherwise.
void SetClasses(const ColumnSummary& summary, v1::Target& target) {
  const std::set<double> values = summary.integral() ? Values(summary) : std::set<double>();
  const bool counted = !values.empty() && *values.begin() == 0 &&
                       *values.rbegin() == static_cast<double>(values.size() - 1);
  if (counted) {
    target.set_num_classes(static_cast<std::uint32_t>(values.size()));
    return;
  }
  std::vector<std::string> labels(summary.distinct.begin(), summary.distinct.end());
  if (summary.numeric()) {
    std::sort(labels.begin(), labels.end(), [](const std::string& a, const std::string& b) {
      return ParseNumber(a).value_or(0) < ParseNumber(b).value_or(0);
    });
  }
  target.mutable_labels()->Assign(labels.begin(), labels.end());
}

absl::Status InferTarget(const ColumnSummary& summary, const InferenceOptions& options,
                         InferredSchema& schema) {
  v1::Target& target = *schema.config.mutable_target();
  target.set_name(options.target);
  target.set_allow_missing(summary.blanks > 0);
  if (summary.values == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("the target '", options.target, "' has no value in any row"));
  }
  std::string likelihood = options.likelihood;
  const bool classes = likelihood.empty()
                           ? LooksLikeClasses(summary)
                           : likelihood == "bernoulli" || likelihood == "categorical";
  const std::size_t distinct = summary.distinct.size();
  if (classes && distinct > kMaxTextClasses) {
    return absl::InvalidArgumentError(
        absl::StrCat("the target '", options.target, "' has more than ", kMaxTextClasses,
                     " distinct values; name a --likelihood, or is it the wrong column?"));
  }
  if (classes && distinct < 2) {
    return absl::InvalidArgumentError(absl::StrCat("the target '", options.target,
                                                   "' has one value in every row: '",
                                                   *summary.distinct.begin(), "'"));
  }
  if (likelihood.empty()) {
    likelihood = !classes ? "gaussian" : distinct == 2 ? "bernoulli" : "categorical";
    schema.notes.push_back(absl::StrCat("target '", options.target, "' has ",
                                        distinct < kDistinctKept ? "" : "at least ", distinct,
                                        " distinct values: likelihood ", likelihood));
  }
  if (classes) SetClasses(summary, target);
  // Two classes 0 and 1 are what bernoulli means; naming their number adds nothing.
  if (likelihood == "bernoulli") target.clear_num_classes();
  schema.config.mutable_likelihood()->set_name(likelihood);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<InferredSchema> InferSchema(CsvReader& reader, const InferenceOptions& options) {
  const std::vector<std::string>& header = reader.header();
  absl::StatusOr<std::vector<std::size_t>> target = FindColumns(header, options.target, 1);
  if (!target.ok()) return target.status();
  absl::StatusOr<std::vector<bool>> chosen = ChooseInputs(header, options);
  if (!chosen.ok()) return chosen.status();

  InferredSchema schema;
  std::vector<ColumnSummary> summaries(header.size());
  CsvRow row;
  for (;;) {
    absl::StatusOr<bool> more = reader.Next(&row);
    if (!more.ok()) return more.status();
    if (!*more) break;
    ++schema.rows;
    for (std::size_t i = 0; i < header.size(); ++i) See(row.cells[i], summaries[i]);
  }
  if (schema.rows == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(reader.name(), " has a header and no rows: there is nothing to infer from"));
  }
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (!(*chosen)[i] || i == target->front()) continue;
    if (summaries[i].values == 0) {
      schema.notes.push_back(absl::StrCat("column '", header[i], "' is always empty: left out"));
      continue;
    }
    *schema.config.add_features() = InferFeature(header[i], summaries[i]);
  }
  if (schema.config.features().empty()) {
    return absl::InvalidArgumentError("no input column is left beside the target");
  }
  absl::Status status = InferTarget(summaries[target->front()], options, schema);
  if (!status.ok()) return status;
  return schema;
}

}  // namespace prequel::client
