#include "client/data/batch_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/data/column_map.h"
#include "client/data/number.h"
#include "client/data/quoted.h"
#include "client/data/schema/number_advice.h"
#include "client/data/wire_limits.h"
#include "client/make_tensor.h"

namespace prequel::client {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

absl::Status CellError(const CsvRow& row, const std::string& column, const std::string& what) {
  return absl::InvalidArgumentError(
      absl::StrCat("line ", row.line, ", column ", Quoted(column), ": ", what));
}

absl::Status NoValue(const CsvRow& row, const std::string& column) {
  return CellError(row, column, "no value, and the model does not allow missing ones here");
}

absl::StatusOr<double> ParseCell(const CsvRow& row, std::size_t cell, const std::string& column,
                                 bool allow_missing) {
  const std::string& text = row.cells[cell];
  std::optional<double> value = IsMissing(text) ? kMissing : ParseNumber(text);
  if (!value.has_value()) value = ParseTruth(text);
  if (!value.has_value()) {
    const std::string advice = NumberAdvice(text);
    return CellError(row, column,
                     absl::StrCat(Quoted(text), " ", advice.empty() ? "is not a number" : advice));
  }
  if (std::isnan(*value) && !allow_missing) return NoValue(row, column);
  if (std::abs(*value) > kMaxMagnitude) {
    return CellError(row, column, absl::StrCat(Quoted(text), " is infinite or beyond 1e100"));
  }
  return *value;
}

absl::Status CheckText(const CsvRow& row, const std::string& column, std::string_view text) {
  if (text.size() <= kMaxTextBytes) return absl::OkStatus();
  return CellError(
      row, column,
      absl::StrCat("a text of ", text.size(), " bytes; the longest has ", kMaxTextBytes));
}

}  // namespace

absl::StatusOr<BatchBuilder> BatchBuilder::Create(const v1::ModelConfig& config,
                                                  const std::vector<std::string>& header,
                                                  const BatchOptions& options) {
  BatchBuilder builder;
  builder.options_ = options;
  for (const v1::Feature& feature : config.features()) {
    absl::Status status = builder.AddFeatureColumns(feature, header);
    if (!status.ok()) return status;
  }
  if (options.with_targets) {
    absl::Status status = builder.AddTargetColumns(config.target(), header);
    if (!status.ok()) return status;
  }
  if (!options.time_column.empty()) {
    absl::StatusOr<std::vector<std::size_t>> column = FindColumns(header, options.time_column, 1);
    if (!column.ok()) return column.status();
    builder.time_ = Column{column->front(), options.time_column, false};
  }
  if (!options.weight_column.empty()) {
    absl::StatusOr<std::vector<std::size_t>> column = FindColumns(header, options.weight_column, 1);
    if (!column.ok()) return column.status();
    builder.weight_ = Column{column->front(), options.weight_column, false};
  }
  builder.text_values_.resize(builder.text_.size());
  return builder;
}

absl::Status BatchBuilder::AddFeatureColumns(const v1::Feature& feature,
                                             const std::vector<std::string>& header) {
  const bool categorical = feature.kind() == v1::Feature::KIND_CATEGORICAL;
  const std::size_t width = categorical ? 1 : std::max<std::size_t>(1, feature.width());
  if (!categorical) num_inputs_ += width;
  const std::optional<MomentColumn> moment =
      categorical ? std::nullopt : MomentColumnOf(feature.name(), width);
  if (moment.has_value()) {
    absl::StatusOr<std::vector<std::size_t>> column = FindColumns(header, moment->column, 1);
    if (!column.ok()) return column.status();
    numeric_.push_back({column->front(), moment->column, feature.allow_missing(), moment->form});
    return absl::OkStatus();
  }
  absl::StatusOr<std::vector<std::size_t>> columns = FindColumns(header, feature.name(), width);
  if (!columns.ok()) return columns.status();
  for (std::size_t cell : *columns) {
    (categorical ? text_ : numeric_).push_back({cell, header[cell], feature.allow_missing()});
  }
  return absl::OkStatus();
}

absl::Status BatchBuilder::AddTargetColumns(const v1::Target& target,
                                            const std::vector<std::string>& header) {
  const std::string& name = options_.target_column.empty() ? target.name() : options_.target_column;
  if (name.empty()) {
    return absl::InvalidArgumentError("the model names no target: say which column, with --target");
  }
  const std::size_t width = std::max<std::size_t>(1, target.width());
  absl::StatusOr<std::vector<std::size_t>> columns = FindColumns(header, name, width);
  if (!columns.ok()) return columns.status();
  for (std::size_t cell : *columns) {
    targets_.push_back({cell, header[cell], target.allow_missing()});
  }
  if (!target.labels().empty()) form_ = TargetForm::kText;
  for (const std::string& label : target.labels()) {
    if (IsMissing(label)) known_words_.push_back(label);
  }
  if (width > 1) form_ = TargetForm::kNumbers;
  return absl::OkStatus();
}

absl::Status BatchBuilder::Add(const CsvRow& row) {
  if (absl::Status status = Parse(row); !status.ok()) return status;
  inputs_.insert(inputs_.end(), row_inputs_.begin(), row_inputs_.end());
  for (std::size_t i = 0; i < text_.size(); ++i) {
    text_values_[i].emplace_back(Trim(row.cells[text_[i].cell]));
  }
  target_values_.insert(target_values_.end(), row_targets_.begin(), row_targets_.end());
  if (!targets_.empty()) labels_.push_back(row_label_);
  if (time_.has_value()) times_.push_back(row_time_);
  if (weight_.has_value()) weights_.push_back(row_weight_);
  ++rows_;
  return absl::OkStatus();
}

absl::Status BatchBuilder::Parse(const CsvRow& row) {
  row_inputs_.clear();
  for (const Column& column : numeric_) {
    if (column.moment.has_value()) {
      if (absl::Status status = ParseMomentCell(row, column); !status.ok()) return status;
      continue;
    }
    absl::StatusOr<double> value = ParseCell(row, column.cell, column.name, column.allow_missing);
    if (!value.ok()) return value.status();
    NoteRounding(row, column, *value);
    row_inputs_.push_back(*value);
  }
  for (const Column& column : text_) {
    absl::Status status = CheckText(row, column.name, Trim(row.cells[column.cell]));
    if (!status.ok()) return status;
  }
  absl::Status status = ParseTimeAndWeight(row);
  return status.ok() ? ParseTargets(row) : status;
}

absl::Status BatchBuilder::ParseTimeAndWeight(const CsvRow& row) {
  if (time_.has_value()) {
    absl::StatusOr<double> time = ParseTime(row);
    if (!time.ok()) return time.status();
    row_time_ = *time;
  }
  if (weight_.has_value()) {
    absl::StatusOr<double> weight = ParseWeight(row);
    if (!weight.ok()) return weight.status();
    row_weight_ = *weight;
  }
  return absl::OkStatus();
}

absl::StatusOr<double> BatchBuilder::ParseWeight(const CsvRow& row) const {
  absl::StatusOr<double> weight = ParseCell(row, weight_->cell, weight_->name, false);
  if (!weight.ok() || (*weight >= 0 && *weight <= kMostWeight)) return weight;
  return CellError(row, weight_->name,
                   absl::StrCat(Quoted(row.cells[weight_->cell]),
                                " is no weight: a row counts from 0 to 1,000,000 times"));
}

void BatchBuilder::NoteRounding(const CsvRow& row, const Column& column, double value) {
  if (!options_.float32 || !rounding_.empty() || value != std::floor(value)) return;
  const auto rounded = static_cast<double>(static_cast<float>(value));
  if (rounded == value) return;
  rounding_ = absl::StrCat("line ", row.line, ", column ", Quoted(column.name), ": ",
                           ShortestNumber(value), " travels as ", ShortestNumber(rounded),
                           " with --float32, as other large numbers do; leave it out to keep them");
}

absl::StatusOr<double> BatchBuilder::ParseTime(const CsvRow& row) const {
  for (const MomentForm::Kind kind : {MomentForm::Kind::kDateTime, MomentForm::Kind::kDate}) {
    const std::optional<Moment> moment =
        ParseMoment(row.cells[time_->cell], {kind, MomentForm::Order::kYearFirst});
    if (moment.has_value()) return InstantOf(*moment);
  }
  return ParseCell(row, time_->cell, time_->name, false);
}

absl::Status BatchBuilder::ParseMomentCell(const CsvRow& row, const Column& column) {
  const std::string& text = row.cells[column.cell];
  if (IsMissing(text)) {
    if (!column.allow_missing) return NoValue(row, column.name);
    row_inputs_.insert(row_inputs_.end(), MomentWidth(*column.moment), kMissing);
    return absl::OkStatus();
  }
  const std::optional<Moment> moment = ParseMoment(text, *column.moment);
  if (!moment.has_value()) {
    return CellError(row, column.name,
                     absl::StrCat(Quoted(text), " is none that the model knows: it learns such as ",
                                  ExampleOf(*column.moment)));
  }
  AppendMoment(*moment, *column.moment, &row_inputs_);
  return absl::OkStatus();
}

bool BatchBuilder::IsMissingTarget(std::string_view text) const {
  return IsMissing(text) &&
         std::find(known_words_.begin(), known_words_.end(), Trim(text)) == known_words_.end();
}

absl::Status BatchBuilder::ParseTargets(const CsvRow& row) {
  row_targets_.clear();
  row_label_.clear();
  for (const Column& column : targets_) {
    const std::string& text = row.cells[column.cell];
    const bool missing = IsMissingTarget(text);
    if (missing && !column.allow_missing) {
      return CellError(row, column.name, "no target, and the model does not allow missing ones");
    }
    if (form_ == TargetForm::kUndecided && !missing) {
      form_ = ParseNumber(text).has_value() ? TargetForm::kNumbers : TargetForm::kText;
    }
    if (missing) {
      row_targets_.push_back(kMissing);
    } else if (form_ == TargetForm::kText) {
      if (absl::Status status = CheckText(row, column.name, Trim(text)); !status.ok())
        return status;
      row_label_ = std::string(Trim(text));
      row_targets_.push_back(kMissing);
    } else {
      absl::StatusOr<double> value = ParseCell(row, column.cell, column.name, true);
      if (!value.ok()) return value.status();
      NoteRounding(row, column, *value);
      row_targets_.push_back(*value);
    }
  }
  return absl::OkStatus();
}

v1::Batch BatchBuilder::Take() {
  v1::Batch batch;
  const v1::Tensor::Dtype dtype =
      options_.float32 ? v1::Tensor::DTYPE_FLOAT32 : v1::Tensor::DTYPE_FLOAT64;
  if (!numeric_.empty()) {
    const auto columns = static_cast<std::int64_t>(num_inputs_);
    *batch.mutable_inputs() = MakeTensor(inputs_, {rows_, columns}, dtype);
  }
  for (std::vector<std::string>& values : text_values_) {
    v1::TextColumn& column = *batch.add_text();
    for (std::string& value : values) column.add_values(std::move(value));
    values.clear();
  }
  if (form_ == TargetForm::kText) {
    for (std::string& label : labels_) batch.add_labels(std::move(label));
  } else if (!targets_.empty()) {
    std::vector<std::int64_t> shape = {rows_};
    if (targets_.size() > 1) shape.push_back(static_cast<std::int64_t>(targets_.size()));
    *batch.mutable_targets() = MakeTensor(target_values_, shape, dtype);
  }
  if (time_.has_value()) {
    // Single precision tells seconds since 1970 apart by two minutes.
    *batch.mutable_times() = MakeTensor(times_, {rows_}, v1::Tensor::DTYPE_FLOAT64);
  }
  if (weight_.has_value()) {
    *batch.mutable_weights() = MakeTensor(weights_, {rows_}, v1::Tensor::DTYPE_FLOAT64);
  }
  inputs_.clear();
  times_.clear();
  weights_.clear();
  target_values_.clear();
  labels_.clear();
  rows_ = 0;
  return batch;
}

}  // namespace prequel::client
