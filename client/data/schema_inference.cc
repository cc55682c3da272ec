#include "client/data/schema_inference.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "client/data/column_map.h"
#include "client/data/number.h"
#include "client/data/quoted.h"
#include "client/data/schema/feature_choice.h"
#include "client/data/schema/target_choice.h"

namespace prequel::client {
namespace {

constexpr std::size_t kMaxNotes = 20;

enum class Part { kNone, kNumberOrText, kText };

// What each column of the file is looked at for.
absl::StatusOr<std::vector<Part>> ChooseInputs(const std::vector<std::string>& header,
                                               const InferenceOptions& options) {
  std::vector<Part> parts(header.size(),
                          options.inputs.empty() ? Part::kNumberOrText : Part::kNone);
  const auto set = [&](const std::vector<std::string>& names, Part part) {
    for (const std::string& name : names) {
      absl::StatusOr<std::vector<std::size_t>> column = FindColumns(header, name, 1);
      if (!column.ok()) return column.status();
      parts[column->front()] = part;
    }
    return absl::OkStatus();
  };
  absl::Status status = set(options.inputs, Part::kNumberOrText);
  if (status.ok()) status = set(options.text, Part::kText);
  if (status.ok()) status = set(options.ignore, Part::kNone);
  if (!status.ok()) return status;
  return parts;
}

// All that one pass over the file remembers.
struct FileSummary {
  std::int64_t rows = 0;
  std::int64_t empty_rows = 0;   // none of whose cells has anything
  std::int64_t first_empty = 0;  // its line
  std::vector<ColumnSummary> columns;
  TargetSummary target;
};

// The target's column, or those of several, whose names commas separate.
absl::StatusOr<std::vector<std::size_t>> TargetColumns(const std::vector<std::string>& header,
                                                       const std::string& target) {
  absl::StatusOr<std::vector<std::size_t>> one = FindColumns(header, target, 1);
  const auto commas = static_cast<std::size_t>(std::count(target.begin(), target.end(), ','));
  return one.ok() || commas == 0 ? one : FindColumns(header, target, commas + 1);
}

// Several targets are values, each of which is a number or missing.
absl::StatusOr<TargetChoice> ChooseTargets(const std::vector<std::string>& header,
                                           const std::vector<std::size_t>& columns,
                                           const FileSummary& file,
                                           const InferenceOptions& options) {
  const bool classes = options.likelihood == "bernoulli" || options.likelihood == "categorical";
  if (classes || !options.labels.empty() || options.num_classes > 0) {
    return absl::InvalidArgumentError(absl::StrCat("the targets ", Quoted(options.target),
                                                   " are several: they are values or "
                                                   "counts, and classes are of one column"));
  }
  TargetChoice choice;
  choice.target.set_name(options.target);
  choice.target.set_width(static_cast<std::uint32_t>(columns.size()));
  choice.likelihood = options.likelihood.empty() ? "gaussian" : options.likelihood;
  for (const std::size_t column : columns) {
    const ColumnSummary& summary = file.columns[column];
    const std::string name = Quoted(header[column]);
    if (summary.values == 0) {
      return absl::InvalidArgumentError(absl::StrCat("the target ", name, " has no value"));
    }
    if (!summary.numeric()) {
      const SeenCell& cell = *summary.not_a_number;
      return absl::InvalidArgumentError(absl::StrCat("the target ", name, " has ",
                                                     Quoted(cell.text), " in line ", cell.line,
                                                     ", which is no number"));
    }
    if (summary.missing > 0) choice.target.set_allow_missing(true);
  }
  if (options.likelihood.empty()) {
    choice.note = absl::StrCat("targets ", Quoted(options.target), ": likelihood gaussian");
  }
  return choice;
}

absl::Status Read(CsvReader& reader, const std::vector<std::size_t>& targets,
                  FileSummary& summary) {
  // Several targets are summarised as other columns are.
  const std::size_t target = targets.size() == 1 ? targets.front() : reader.header().size();
  summary.columns.resize(reader.header().size());
  CsvRow row;
  for (;;) {
    absl::StatusOr<bool> more = reader.Next(&row);
    if (!more.ok()) return more.status();
    if (!*more) break;
    ++summary.rows;
    const auto is_blank = [](const std::string& cell) { return Trim(cell).empty(); };
    if (row.cells.size() > 1 && std::all_of(row.cells.begin(), row.cells.end(), is_blank)) {
      if (summary.empty_rows++ == 0) summary.first_empty = row.line;
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i != target) summary.columns[i].See(row.line, row.cells[i]);
    }
    if (target < row.cells.size()) summary.target.See(row.line, row.cells[target]);
  }
  return absl::OkStatus();
}

class Notes {
 public:
  void Add(std::string note) {
    if (note.empty()) return;
    if (notes_.size() < kMaxNotes) {
      notes_.push_back(std::move(note));
    } else {
      ++left_out_;
    }
  }
  std::vector<std::string> Take() {
    if (left_out_ > 0) notes_.push_back(absl::StrCat("and ", left_out_, " notes like these"));
    return std::move(notes_);
  }

 private:
  std::vector<std::string> notes_;
  std::size_t left_out_ = 0;
};

// Columns that say nothing, or nothing new, are kept: a stream may go on otherwise than its sample.
void NoteRepetition(const std::string& name, const FileSummary& file, const ColumnSummary& summary,
                    std::map<std::uint64_t, std::string>& by_content, Notes& notes) {
  if (file.rows < 2) return;
  const std::string column = absl::StrCat("column ", Quoted(name));
  if (summary.distinct.count() == 1) {
    return notes.Add(absl::StrCat(column, " is ", Quoted(summary.value->text),
                                  " in every row; --ignore leaves it out"));
  }
  if (summary.content == file.target.column.content) {
    return notes.Add(absl::StrCat(column,
                                  " is the target in every row and gives it away; --ignore "
                                  "leaves it out"));
  }
  const auto [first, added] = by_content.emplace(summary.content, name);
  if (added) return;
  notes.Add(absl::StrCat(column, " is the same as ", Quoted(first->second),
                         " in every row; --ignore leaves it out"));
}

absl::Status AddFeatures(const std::vector<std::string>& header, const std::vector<Part>& parts,
                         const FileSummary& file, InferredSchema& schema, Notes& notes) {
  std::map<std::uint64_t, std::string> by_content;
  for (std::size_t i = 0; i < header.size(); ++i) {
    const ColumnSummary& summary = file.columns[i];
    if (parts[i] == Part::kNone) continue;
    if (header[i].empty()) {
      notes.Add(absl::StrCat("column ", i + 1, " has no name: left out"));
      continue;
    }
    if (summary.values == 0) {
      notes.Add(absl::StrCat("column ", Quoted(header[i]), " is always empty: left out"));
      continue;
    }
    absl::StatusOr<FeatureChoice> choice =
        ChooseFeature(header[i], summary, parts[i] == Part::kText);
    if (!choice.ok()) return choice.status();
    *schema.config.add_features() = std::move(choice->feature);
    notes.Add(std::move(choice->note));
    NoteRepetition(header[i], file, summary, by_content, notes);
  }
  if (!schema.config.features().empty()) return absl::OkStatus();
  return absl::InvalidArgumentError("no input column is left beside the target");
}

absl::StatusOr<InferredSchema> Choose(const std::vector<std::string>& header,
                                      const std::vector<std::size_t>& targets,
                                      const std::vector<Part>& parts, const FileSummary& file,
                                      const InferenceOptions& options) {
  if (file.rows == 0) {
    return absl::InvalidArgumentError("a header and no rows: there is nothing to infer from");
  }
  InferredSchema schema;
  schema.rows = file.rows;
  absl::StatusOr<TargetChoice> target = targets.size() > 1
                                            ? ChooseTargets(header, targets, file, options)
                                            : ChooseTarget(options.target, file.target,
                                                           {.likelihood = options.likelihood,
                                                            .labels = options.labels,
                                                            .num_classes = options.num_classes});
  if (!target.ok()) return target.status();
  *schema.config.mutable_target() = std::move(target->target);
  schema.config.mutable_likelihood()->set_name(target->likelihood);
  Notes notes;
  notes.Add(std::move(target->note));
  if (file.empty_rows > 0) {
    const std::string many =
        file.empty_rows > 1 ? absl::StrCat(file.empty_rows, " rows, the first in ") : "";
    notes.Add(absl::StrCat("nothing is in any cell of ", many, "line ", file.first_empty,
                           ": such rows are taken for rows of missing values; remove them from the "
                           "file where they are none"));
  }
  absl::Status status = AddFeatures(header, parts, file, schema, notes);
  if (!status.ok()) return status;
  schema.notes = notes.Take();
  return schema;
}

absl::Status InFile(const absl::Status& status, const CsvReader& reader) {
  return absl::Status(status.code(),
                      absl::StrCat(reader.name(), ": ", std::string(status.message())));
}

}  // namespace

absl::StatusOr<InferredSchema> InferSchema(CsvReader& reader, const InferenceOptions& options) {
  const std::vector<std::string>& header = reader.header();
  const absl::StatusOr<std::vector<std::size_t>> targets = TargetColumns(header, options.target);
  if (!targets.ok()) return InFile(targets.status(), reader);
  absl::StatusOr<std::vector<Part>> parts = ChooseInputs(header, options);
  if (!parts.ok()) return InFile(parts.status(), reader);
  for (const std::size_t column : *targets) (*parts)[column] = Part::kNone;
  FileSummary file;
  // The reader names the file itself.
  absl::Status status = Read(reader, *targets, file);
  if (!status.ok()) return status;
  absl::StatusOr<InferredSchema> schema = Choose(header, *targets, *parts, file, options);
  if (!schema.ok()) return InFile(schema.status(), reader);
  return schema;
}

}  // namespace prequel::client
