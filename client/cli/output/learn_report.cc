#include "client/cli/output/learn_report.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "client/call_error.h"
#include "client/cli/output/comparisons.h"
#include "client/cli/output/json_writer.h"
#include "client/cli/output/spread_warning.h"
#include "client/cli/output/table.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

constexpr std::size_t kRefusalsShown = 5;
constexpr std::size_t kRefusalsKept = 1'000;
constexpr std::size_t kColumnWidth = 10;

// The score beside NLL that says most: the first of these that applies.
std::string SecondScore(const v1::Scores& scores) {
  for (const char* name : {"accuracy", "rmse"}) {
    if (client::FindScore(scores, name).has_value()) return name;
  }
  return "";
}

std::string Value(const v1::Scores& scores, const std::string& name) {
  const std::optional<double> value = client::FindScore(scores, name);
  return value.has_value() ? Number(*value) : "-";
}

// The message, and what each violation adds to it.
std::string Message(const absl::Status& status) {
  std::string text(status.message());
  for (const client::FieldViolation& violation : client::DetailsOf(status).violations) {
    if (text.find(violation.description) != std::string::npos) continue;
    absl::StrAppend(&text, "; ", violation.field, ": ", violation.description);
  }
  return text;
}

// Says how many rows were learned as new ones where the rule counts fewer, `dataset_size`; "" where
// it does not, or counts what it learns.
std::string DatasetNote(const v1::Model& model, double learned) {
  const auto& options = model.config().rule().options().fields();
  const auto size = options.find("dataset_size");
  if (size == options.end() || learned <= 1.01 * size->second.number_value()) return "";
  return absl::StrCat("note: ", model.name(), " has learned ",
                      Count(static_cast<long long>(learned)),
                      " rows as new ones, and counts them as ",
                      Count(static_cast<long long>(size->second.number_value())),
                      " (rule.dataset_size): learn the rows of a later pass with --learned-before; "
                      "more data want a model of a larger dataset_size\n");
}

// Where the row begins that "batch.labels[3]", "batch.inputs[3,1]" or "batch.text[0].values[3]" is
// about; 0 when it is about no row, or one that the batch does not have.
std::int64_t LineOf(const SentBatch& batch, const std::string& field) {
  const std::size_t open = field.rfind('[');
  if (!field.starts_with("batch.") || open == std::string::npos) return 0;
  if (field.starts_with("batch.text[") && field.find("].values[") == std::string::npos) return 0;
  std::size_t row = 0;
  const std::string digits = field.substr(open + 1, field.find_first_of(",]", open) - open - 1);
  return absl::SimpleAtoi(digits, &row) && row < batch.lines.size() ? batch.lines[row] : 0;
}

// The line of the first violation that is about a row; 0 when no violation is.
std::int64_t LineOf(const SentBatch& batch, const absl::Status& status) {
  for (const client::FieldViolation& violation : client::DetailsOf(status).violations) {
    if (const std::int64_t line = LineOf(batch, violation.field); line > 0) return line;
  }
  return 0;
}

std::string AndMore(std::int64_t more) {
  return more > 0 ? absl::StrCat("  … and ", more, " more\n") : "";
}

}  // namespace

LearnReport::LearnReport(std::string model, std::size_t every)
    : model_(std::move(model)),
      every_(every),
      start_(std::chrono::steady_clock::now()),
      scores_(std::max<std::size_t>(1, every)) {}

std::string LearnReport::Learned(const SentBatch& batch, std::int64_t revision,
                                 const v1::Scores& scores, const v1::StepReport& step) {
  ++batches_;
  rows_ += step.rows();
  skipped_rows_ += step.skipped_rows();
  unseen_categories_ += step.unseen_categories();
  answered_rows_ += batch.rows;
  refused_rows_ += step.refused_rows();
  KeepRefusedRows(batch, step);
  revision_ = revision;
  phase_ = step.phase();
  scores_.Add(scores);
  if (every_ == 0 || batches_ % static_cast<std::int64_t>(every_) != 0) return "";
  lines_.push_back({batches_, rows_, scores_.total(), scores_.recent()});
  return (lines_.size() == 1 ? Header(lines_.back()) : "") + Text(lines_.back());
}

void LearnReport::Refused(const SentBatch& batch, const absl::Status& status) {
  answered_rows_ += batch.rows;
  ++refused_;
  if (refusals_.size() == kRefusalsKept) return;
  refusals_.push_back({batch.number, batch.first_line, batch.rows, LineOf(batch, status),
                       Message(status), absl::StatusCodeToString(status.code())});
}

void LearnReport::KeepRefusedRows(const SentBatch& batch, const v1::StepReport& step) {
  for (const v1::RefusedRow& refused : step.first_refused_rows()) {
    if (row_refusals_.size() == kRefusalsKept) return;
    const auto row = static_cast<std::size_t>(refused.row());
    const std::int64_t line = row < batch.lines.size() ? batch.lines[row] : 0;
    row_refusals_.push_back({batch.number, line, refused.label(), refused.reason()});
  }
}

void LearnReport::Resumed(const std::string& producer, std::int64_t rows) {
  producer_ = producer;
  resumed_rows_ = rows;
}

std::string LearnReport::Header(const Line& line) const {
  const std::string second = SecondScore(line.total);
  std::vector<std::string> cells = {"minibatch", "rows", "nll", absl::StrCat("last ", every_)};
  if (!second.empty()) cells.insert(cells.end(), {second, absl::StrCat("last ", every_)});
  return FixedRow(cells, kColumnWidth);
}

std::string LearnReport::Text(const Line& line) const {
  const std::string second = SecondScore(line.total);
  std::vector<std::string> cells = {Count(line.batches), Count(line.rows), Value(line.total, "nll"),
                                    Value(line.recent, "nll")};
  if (!second.empty()) {
    cells.insert(cells.end(), {Value(line.total, second), Value(line.recent, second)});
  }
  return FixedRow(cells, kColumnWidth);
}

double LearnReport::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string LearnReport::Progress() const {
  const double rate = static_cast<double>(answered_rows_) / std::max(seconds(), 1e-9);
  return absl::StrCat(
      Count(answered_rows_, "row", "rows"), ", ", Count(static_cast<long long>(rate)),
      " rows/s, nll ", Value(scores_.total(), "nll"),
      refusals_.empty() ? "" : absl::StrCat(", ", refused(), " refused"),
      refused_rows_ > 0 ? absl::StrCat(", ", Count(refused_rows_, "row", "rows"), " refused") : "");
}

void LearnReport::Evaluated(const v1::Model& model, const v1::GetEvaluationResponse& evaluation) {
  evaluation_ = evaluation;
  dataset_note_ = DatasetNote(model, evaluation.cumulative().examples());
}

std::string LearnReport::Totals() const {
  const double rate = static_cast<double>(rows_) / std::max(seconds(), 1e-9);
  Table table({});
  table.Add({"model", model_});
  if (batches_ > 0) table.Add({"revision", absl::StrCat(revision_)});
  if (resumed_rows_ > 0) {
    table.Add(
        {"resumed", absl::StrCat("behind ", Count(resumed_rows_, "row", "rows"), " sent before as ",
                                 producer_, " (--again learns them once more)")});
  }
  table.Add({"learned", absl::StrCat(Count(rows_, "row", "rows"), " in ",
                                     Count(batches_, "minibatch", "minibatches"), ", ",
                                     Count(static_cast<long long>(rate)), " rows/s")});
  if (skipped_rows_ > 0) {
    table.Add({"skipped", absl::StrCat(Count(skipped_rows_, "row", "rows"), " without a target")});
  }
  if (unseen_categories_ > 0) {
    table.Add({"unseen", Count(unseen_categories_, "value", "values") +
                             " of a category that was new to the model, or had no room"});
  }
  if (!phase_.empty()) table.Add({"phase", phase_});
  for (const v1::Score& score : scores_.total().scores()) {
    table.Add({score.name(), Number(score.value())});
  }
  if (!refusals_.empty()) {
    table.Add({"refused", Count(refused(), "minibatch", "minibatches")});
  }
  std::string text = table.Text() + SpreadWarning(model_, scores_.total()) +
                     SkillWarning(model_, evaluation_) + dataset_note_ + RefusedText() +
                     RefusedRowsText();
  if (interrupted_ && resumable_) {
    absl::StrAppend(&text, "stopped; the same command goes on from here\n");
  } else if (interrupted_) {
    absl::StrAppend(&text, "stopped; go on later with --skip ", answered_rows_, "\n");
  }
  return text;
}

std::string LearnReport::RefusedText() const {
  std::string text;
  const std::size_t shown = std::min(refusals_.size(), kRefusalsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const Refusal& refusal = refusals_[i];
    const std::string place = refusal.line > 0
                                  ? absl::StrCat(", line ", refusal.line)
                                  : absl::StrCat(" (line ", refusal.first_line, " on)");
    absl::StrAppend(&text, "  minibatch ", refusal.number, place, ": ", refusal.message, "\n");
  }
  return text + AndMore(refused_ - static_cast<std::int64_t>(shown));
}

std::string LearnReport::RefusedRowsText() const {
  if (refused_rows_ == 0) return "";
  std::string text =
      absl::StrCat(Count(refused_rows_, "row", "rows"), " refused, whose label is no class\n");
  const std::size_t shown = std::min(row_refusals_.size(), kRefusalsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    const RowRefusal& refusal = row_refusals_[i];
    const std::string place = refusal.line > 0 ? absl::StrCat("line ", refusal.line)
                                               : absl::StrCat("minibatch ", refusal.number);
    absl::StrAppend(&text, "  ", place, ": label ", refusal.label, ": ", refusal.reason, "\n");
  }
  return text + AndMore(refused_rows_ - static_cast<std::int64_t>(shown));
}

std::string LearnReport::Json(const absl::Status& outcome) const {
  JsonWriter json;
  json.BeginObject().Key("model").String(model_).Key("revision").Integer(revision_);
  json.Key("rows").Integer(rows_).Key("minibatches").Integer(batches_);
  json.Key("skipped_rows").Integer(skipped_rows_).Key("answered_rows").Integer(answered_rows_);
  json.Key("resumed_rows").Integer(resumed_rows_);
  json.Key("unseen_categories").Integer(unseen_categories_);
  json.Key("seconds").Number(seconds()).Key("interrupted").Bool(interrupted_);
  if (!phase_.empty()) json.Key("phase").String(phase_);
  json.Key("scores");
  WriteScores(scores_.total(), json);
  json.Key("refused_minibatches").Integer(refused_).Key("refused").BeginArray();
  for (const Refusal& refusal : refusals_) {
    json.BeginObject().Key("minibatch").Integer(refusal.number);
    json.Key("first_line").Integer(refusal.first_line).Key("rows").Integer(refusal.rows);
    if (refusal.line > 0) json.Key("line").Integer(refusal.line);
    json.Key("code").String(refusal.code).Key("message").String(refusal.message).EndObject();
  }
  json.EndArray();
  json.Key("refused_rows").Integer(refused_rows_).Key("first_refused_rows").BeginArray();
  for (const RowRefusal& refusal : row_refusals_) {
    json.BeginObject().Key("minibatch").Integer(refusal.number);
    if (refusal.line > 0) json.Key("line").Integer(refusal.line);
    json.Key("label").String(refusal.label).Key("reason").String(refusal.reason).EndObject();
  }
  json.EndArray().Key("table").BeginArray();
  for (const Line& line : lines_) {
    json.BeginObject().Key("minibatches").Integer(line.batches).Key("rows").Integer(line.rows);
    json.Key("all");
    WriteScores(line.total, json);
    json.Key("recent");
    WriteScores(line.recent, json);
    json.EndObject();
  }
  json.EndArray();
  if (!outcome.ok()) {
    json.Key("error").String(std::string(outcome.message()));
  }
  return json.EndObject().text();
}

}  // namespace prequel::cli
