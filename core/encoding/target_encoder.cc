#include "core/encoding/target_encoder.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/encoding/spelling.h"

namespace prequel {
namespace {

// List names at most ten labels, for an error message.
std::string List(const std::vector<std::string>& labels) {
  constexpr std::size_t kShown = 10;
  std::string list;
  for (std::size_t i = 0; i < std::min(labels.size(), kShown); ++i) {
    absl::StrAppend(&list, i == 0 ? "" : ", ", Quoted(labels[i]));
  }
  if (labels.size() > kShown) absl::StrAppend(&list, ", and ", labels.size() - kShown, " more");
  return list;
}

// Doubles hold every whole number up to 2⁵³ only.
bool IsWhole(double value) { return std::abs(value) <= 0x1p53 && value == std::floor(value); }

// Decimal is a whole number as text, without memory of its own.
class Decimal {
 public:
  explicit Decimal(std::int64_t value)
      : end_(std::to_chars(digits_.data(), digits_.data() + digits_.size(), value).ptr) {}
  // REQUIRES: IsWhole(value).
  explicit Decimal(double value) : Decimal(static_cast<std::int64_t>(value)) {}

  std::string_view text() const {
    return {digits_.data(), static_cast<std::size_t>(end_ - digits_.data())};
  }

 private:
  std::array<char, 24> digits_;
  const char* end_;
};

absl::Status CheckClassCount(const char* field, Index count) {
  if (count >= 2 && count <= ConfigLimits::kMaxOutputs) return absl::OkStatus();
  return FieldError(
      field, absl::StrCat("must be 2 to ", ConfigLimits::kMaxOutputs, " classes, got ", count));
}

std::string MustBeUnique(const std::string& label, const std::string& other) {
  if (label == other) return absl::StrCat("must be unique, ", Quoted(label), " comes twice");
  return absl::StrCat("must be unique, ", Quoted(label), " is ", Quoted(other),
                      " spelled otherwise");
}

absl::Status CheckConfiguredLabels(const TargetConfig& config) {
  const Index count = static_cast<Index>(config.labels.size());
  absl::Status status = CheckClassCount("config.target.labels", count);
  if (!status.ok()) return status;
  if (config.num_classes != 0 && config.num_classes != count) {
    return FieldError("config.target.num_classes",
                      absl::StrCat("is ", config.num_classes, ", but there are ", count,
                                   " labels; leave it out"));
  }
  for (Index i = 0; i < count; ++i) {
    const std::string& label = config.labels[static_cast<std::size_t>(i)];
    const std::string field = absl::StrCat("config.target.labels[", i, "]");
    if (label.empty()) return FieldError(field, "must not be empty");
    if (static_cast<Index>(label.size()) > kMaxTextBytes) {
      return FieldError(
          field, absl::StrCat("must have at most ", kMaxTextBytes, " bytes, got ", label.size()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TargetEncoder> TargetEncoder::Create(const TargetConfig& config, bool classes,
                                                    Index width, Standardize standardize,
                                                    bool counts) {
  TargetEncoder encoder;
  encoder.counts_ = counts;
  encoder.allow_missing_ = config.allow_missing;
  encoder.width_ = width;
  if (classes) {
    const absl::Status status = encoder.ConfigureClasses(config);
    if (!status.ok()) return status;
    return encoder;
  }
  if (!config.labels.empty()) {
    return FieldError("config.target.labels", "are for classification: this likelihood has values");
  }
  if (config.num_classes != 0) {
    return FieldError("config.target.num_classes",
                      "is for classification: this likelihood has values");
  }
  if (width < 1 || width > ConfigLimits::kMaxOutputs) {
    return FieldError("config.target.width",
                      absl::StrCat("must be in [1, ", ConfigLimits::kMaxOutputs, "], got ", width));
  }
  encoder.standardize_ = standardize == Standardize::kRunning;
  return encoder;
}

absl::Status TargetEncoder::ConfigureClasses(const TargetConfig& config) {
  if (width_ != 1 || config.width != 1) {
    return FieldError("config.target.width", "is for regression and counts: a class is one value");
  }
  if (config.labels.empty()) {
    num_classes_ = config.num_classes;
    return CheckClassCount("config.target.num_classes", num_classes_);
  }
  absl::Status status = CheckConfiguredLabels(config);
  if (!status.ok()) return status;
  CategoryTable table;
  for (std::size_t i = 0; i < config.labels.size(); ++i) {
    const std::string& label = config.labels[i];
    const std::string field = absl::StrCat("config.target.labels[", i, "]");
    if (const Index known = table.Find(label); known >= 0) {
      return FieldError(field, MustBeUnique(label, config.labels[static_cast<std::size_t>(known)]));
    }
    table.Append(label);
  }
  num_classes_ = table.size();
  configured_ = std::make_shared<const CategoryTable>(std::move(table));
  return absl::OkStatus();
}

absl::Status TargetEncoder::Check(const Batch& batch, const TargetProblem& problem) const {
  const bool targets = batch.targets.size() > 0;
  const bool labels = !batch.labels.empty();
  if (!targets && !labels) {
    return FieldError("batch.targets", Classes() ? "must be given, or labels" : "must be given");
  }
  if (targets && labels) return FieldError("batch.labels", "must not be given next to targets");
  if (labels && !Classes()) {
    return FieldError("batch.labels",
                      "are for classification: this model learns values, in targets");
  }
  return targets ? CheckTargets(batch, problem) : CheckLabels(batch);
}

absl::Status TargetEncoder::CheckTargets(const Batch& batch, const TargetProblem& problem) const {
  const Matrix& targets = batch.targets;
  if (targets.cols() != batch.rows() || targets.rows() != width_) {
    return FieldError("batch.targets", absl::StrCat("must be ", batch.rows(), " × ", width_,
                                                    " (one row per row of inputs), got ",
                                                    targets.cols(), " × ", targets.rows()));
  }
  for (Index row = 0; row < targets.cols(); ++row) {
    for (Index i = 0; i < width_; ++i) {
      const double y = targets(i, row);
      if (allow_missing_ && std::isnan(y)) continue;
      const std::string wrong = Classes() ? ClassProblem(y) : ValueProblem(y, problem);
      if (wrong.empty()) continue;
      return FieldError(absl::StrCat("batch.targets[", row, ",", i, "]"), wrong);
    }
  }
  return absl::OkStatus();
}

absl::Status TargetEncoder::CheckLabels(const Batch& batch) const {
  if (static_cast<Index>(batch.labels.size()) != batch.rows()) {
    return FieldError("batch.labels",
                      absl::StrCat("must be ", batch.rows(), ", one per row of inputs, got ",
                                   batch.labels.size()));
  }
  for (std::size_t row = 0; row < batch.labels.size(); ++row) {
    const std::string wrong = LabelProblem(batch.labels[row]);
    if (!wrong.empty()) return FieldError(absl::StrCat("batch.labels[", row, "]"), wrong);
  }
  return absl::OkStatus();
}

std::string TargetEncoder::ValueProblem(double value, const TargetProblem& problem) const {
  if (std::isnan(value)) return "must be a number: the target does not allow missing values";
  if (!(std::abs(value) <= kMaxMagnitude)) {
    return absl::StrCat("must be finite and at most 1e100 in magnitude, got ", value);
  }
  const std::string_view wanted = problem(value);
  if (wanted.empty()) return "";
  return absl::StrCat("must be ", std::string(wanted), ", got ", value);
}

std::string TargetEncoder::ClassProblem(double value) const {
  if (std::isnan(value)) return "must be a class: the target does not allow missing values";
  if (std::isinf(value)) return absl::StrCat("must be finite, got ", value);
  return "";
}

std::string TargetEncoder::LabelProblem(const std::string& label) const {
  if (label.empty()) {
    return allow_missing_ ? "" : "must not be empty: the target does not allow missing values";
  }
  if (static_cast<Index>(label.size()) > kMaxTextBytes) {
    return absl::StrCat("must have at most ", kMaxTextBytes, " bytes, got ", label.size(), ": ",
                        Quoted(label));
  }
  return "";
}

std::string TargetEncoder::ExpectedClasses() const {
  if (!configured_) return absl::StrCat("classes are 0..", num_classes_ - 1);
  return absl::StrCat("classes are ", List(configured_->values()));
}

Index TargetEncoder::ClassOf(double value) const {
  const bool known = IsWhole(value) && value >= 0 && value < static_cast<double>(num_classes_);
  return known ? static_cast<Index>(value) : -1;
}

Index TargetEncoder::ClassOf(const TargetState& state, double value) const {
  if (CountsClasses(state)) return ClassOf(value);
  return IsWhole(value) ? TableOf(state).Find(Decimal(value).text()) : -1;
}

Index TargetEncoder::ClassOf(const TargetState& state, const std::string& label) const {
  if (!CountsClasses(state)) return TableOf(state).Find(label);
  std::int64_t value = 0;
  const std::string_view spelled = Spelled(label);
  (void)std::from_chars(spelled.data(), spelled.data() + spelled.size(), value);
  return Decimal(value).text() == spelled ? ClassOf(static_cast<double>(value)) : -1;
}

Index TargetEncoder::ClassOf(const TargetState& state, const Batch& batch, Index row) const {
  return UsesLabels(batch) ? ClassOf(state, batch.labels[static_cast<std::size_t>(row)])
                           : ClassOf(state, batch.targets(0, row));
}

TargetState TargetEncoder::Initial() const {
  const Index standardized = standardize_ ? width_ : 0;
  return {RunningMoments::Empty(standardized), Units::Unknown(standardized),
          std::make_shared<const CategoryTable>(), false,
          Vector::Constant(counts_ ? width_ : 0, -1)};
}

absl::Status TargetEncoder::CheckState(const TargetState& state) const {
  if (state.moments.size() != (standardize_ ? width_ : 0) || !state.moments.IsValid()) {
    return absl::DataLossError("target state: unsound moments of the targets");
  }
  if (state.units.size() != state.moments.size() || !state.units.IsValid()) {
    return absl::DataLossError("target state: unsound units of the targets");
  }
  if (state.largest.size() != (counts_ ? width_ : 0) || !state.largest.allFinite() ||
      !(state.largest.array() >= -1).all()) {
    return absl::DataLossError("target state: unsound largest counts");
  }
  const Index limit = configured_ || state.integers ? 0 : num_classes_;
  if (state.labels->size() > limit || (state.integers && !Classes())) {
    return absl::DataLossError("target state: labels that this target cannot have");
  }
  return absl::OkStatus();
}

void TargetEncoder::Meet(const Batch& batch, TargetState& state) const {
  if (!Classes() || configured_ || state.integers) return;
  if (UsesLabels(batch)) return AppendNew(batch.labels, num_classes_, true, state.labels);
  if (CountsClasses(state)) return;
  std::vector<std::string> labels;
  for (const double value : batch.targets.reshaped()) {
    if (IsWhole(value)) labels.emplace_back(Decimal(value).text());
  }
  AppendNew(labels, num_classes_, true, state.labels);
}

bool TargetEncoder::IsKnown(const Batch& batch, Index row) const {
  if (UsesLabels(batch)) return !batch.labels[static_cast<std::size_t>(row)].empty();
  for (Index i = 0; i < width_; ++i) {
    if (std::isnan(batch.targets(i, row))) return false;
  }
  return true;
}

void TargetEncoder::Select(const TargetState& state, const Batch& batch, std::vector<Index>& kept,
                           RefusedRows& refused) const {
  kept.clear();
  for (Index row = 0; row < batch.rows(); ++row) {
    if (!IsKnown(batch, row)) continue;
    if (!Classes() || ClassOf(state, batch, row) >= 0) {
      kept.push_back(row);
      continue;
    }
    ++refused.count;
    if (refused.first.size() == RefusedRows::kMostNamed) continue;
    refused.first.push_back(Refuse(state, batch, row));
  }
}

RefusedRow TargetEncoder::Refuse(const TargetState& state, const Batch& batch, Index row) const {
  const std::string expected =
      configured_ || CountsClasses(state)
          ? ExpectedClasses()
          : absl::StrCat("the model has ", num_classes_, " classes and knows ",
                         List(state.labels->values()));
  if (UsesLabels(batch))
    return {row, Quoted(batch.labels[static_cast<std::size_t>(row)]), expected};
  const double value = batch.targets(0, row);
  std::string text = IsWhole(value) ? std::string(Decimal(value).text()) : absl::StrCat(value);
  const char* problem = value == std::floor(value) ? "" : "not a whole number: ";
  return {row, std::move(text), absl::StrCat(problem, expected)};
}

void TargetEncoder::Absorb(const Batch& batch, const std::vector<Index>& kept, TargetState& state,
                           double window, double bound) const {
  if (kept.empty()) return;
  if (standardize_) state.moments.Absorb(batch.targets, kept, window, bound);
  if (counts_) {
    for (const Index row : kept) {
      state.largest = state.largest.cwiseMax(batch.targets.col(row));
    }
  }
  if (Classes() && CountsClasses(state) && !UsesLabels(batch)) state.integers = true;
}

void TargetEncoder::Encode(const TargetState& state, const Batch& batch,
                           const std::vector<Index>& kept, Matrix& out) const {
  out.resize(width_, static_cast<Index>(kept.size()));
  if (Classes()) {
    for (std::size_t k = 0; k < kept.size(); ++k) {
      out(0, static_cast<Index>(k)) = static_cast<double>(ClassOf(state, batch, kept[k]));
    }
    return;
  }
  for (Index i = 0; i < width_; ++i) {
    const double location = standardize_ ? state.units.location[i] : 0;
    const double scale = standardize_ ? state.units.Scale(i) : 1;
    for (std::size_t k = 0; k < kept.size(); ++k) {
      out(i, static_cast<Index>(k)) = (batch.targets(i, kept[k]) - location) / scale;
    }
  }
}

void TargetEncoder::Location(const TargetState& state, Vector& out) const {
  out.setZero(width_);
  if (standardize_) out = state.units.location;
}

void TargetEncoder::Scale(const TargetState& state, Vector& out) const {
  out.setOnes(width_);
  if (!standardize_) return;
  for (Index i = 0; i < width_; ++i) out[i] = state.units.Scale(i);
}

bool TargetEncoder::HasScale(const TargetState& state) const {
  // Rows are known as a whole, so every output has the same count.
  return !standardize_ || state.moments.count[0] >= 2;
}

std::vector<std::string> TargetEncoder::Labels(const TargetState& state) const {
  if (configured_) return configured_->values();
  if (!state.integers) return state.labels->values();
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(num_classes_));
  for (Index i = 0; i < num_classes_; ++i) labels.push_back(absl::StrCat(i));
  return labels;
}

}  // namespace prequel
