#include "core/config/batch.h"

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

void SelectValues(const std::vector<std::string>& from, const std::vector<Index>& kept,
                  std::vector<std::string>& to) {
  if (from.empty()) {
    to.clear();
    return;
  }
  to.resize(kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i) to[i] = from[static_cast<std::size_t>(kept[i])];
}

void SelectColumns(const Matrix& from, const std::vector<Index>& kept, Matrix& to) {
  if (from.size() == 0) {
    to.resize(from.rows(), 0);
    return;
  }
  to.resize(from.rows(), static_cast<Index>(kept.size()));
  for (Index i = 0; i < to.cols(); ++i) to.col(i) = from.col(kept[static_cast<std::size_t>(i)]);
}

void SelectNumbers(const Vector& from, const std::vector<Index>& kept, Vector& to) {
  to.resize(from.size() == 0 ? 0 : static_cast<Index>(kept.size()));
  for (Index i = 0; i < to.size(); ++i) to[i] = from[kept[static_cast<std::size_t>(i)]];
}

}  // namespace

absl::Status CheckWeights(const Vector& weights, Index rows) {
  if (weights.size() == 0) return absl::OkStatus();
  if (weights.size() != rows) {
    return FieldError(
        "batch.weights",
        absl::StrCat("must be ", rows, ", one per row of inputs, got ", weights.size()));
  }
  for (Index i = 0; i < rows; ++i) {
    if (weights[i] >= 0 && weights[i] <= kMostWeight) continue;
    return FieldError(absl::StrCat("batch.weights[", i, "]"),
                      absl::StrCat("must be from 0, which is not learned, to ", kMostWeight,
                                   ", got ", weights[i]));
  }
  return absl::OkStatus();
}

void SelectRows(const Batch& batch, const std::vector<Index>& kept, Batch& out) {
  SelectColumns(batch.inputs, kept, out.inputs);
  SelectColumns(batch.targets, kept, out.targets);
  SelectValues(batch.labels, kept, out.labels);
  SelectNumbers(batch.times, kept, out.times);
  SelectNumbers(batch.weights, kept, out.weights);
  out.learned_before = batch.learned_before;
  out.text.resize(batch.text.size());
  for (std::size_t c = 0; c < batch.text.size(); ++c) {
    SelectValues(batch.text[c], kept, out.text[c]);
  }
}

}  // namespace prequel
