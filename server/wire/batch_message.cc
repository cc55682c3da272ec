#include "server/wire/batch_message.h"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/wire/tensor_message.h"

namespace prequel::wire {
namespace {

absl::Status CheckRows(int rows, Index max_rows, const std::string& field) {
  if (rows <= max_rows) return absl::OkStatus();
  return FieldError(field, absl::StrCat("has ", rows, " rows, the limit is ", max_rows));
}

absl::Status TextFromProto(const v1::Batch& proto, Index max_rows, Batch* batch) {
  for (int i = 0; i < proto.text_size(); ++i) {
    const auto& values = proto.text(i).values();
    absl::Status rows = CheckRows(values.size(), max_rows, absl::StrCat("batch.text[", i, "]"));
    if (!rows.ok()) return rows;
  }
  batch->text.reserve(static_cast<std::size_t>(proto.text_size()));
  for (const v1::TextColumn& column : proto.text()) {
    batch->text.emplace_back(column.values().begin(), column.values().end());
  }
  return absl::OkStatus();
}

absl::Status TensorFromProto(const v1::Tensor& tensor, Rank rank, Index max_rows,
                             std::string_view field, Matrix* matrix) {
  absl::StatusOr<Matrix> converted = MatrixFromTensor(tensor, rank, max_rows, field);
  if (!converted.ok()) return converted.status();
  *matrix = *std::move(converted);
  return absl::OkStatus();
}

// One number for each row.
absl::Status VectorFromProto(const v1::Tensor& tensor, Index max_rows, std::string_view field,
                             Vector* values) {
  Matrix numbers;
  absl::Status status = TensorFromProto(tensor, Rank::kVectorOrMatrix, max_rows, field, &numbers);
  if (!status.ok()) return status;
  if (numbers.rows() > 1) {
    return FieldError(
        std::string(field) + ".shape",
        absl::StrCat("must be [rows], got ", numbers.rows(), " numbers for each row"));
  }
  *values = numbers.reshaped();
  return status;
}

}  // namespace

absl::StatusOr<Batch> BatchFromProto(const v1::Batch& proto, Index max_rows) {
  Batch batch;
  absl::Status status;
  if (proto.has_inputs()) {
    status =
        TensorFromProto(proto.inputs(), Rank::kMatrix, max_rows, "batch.inputs", &batch.inputs);
  }
  if (status.ok()) status = TextFromProto(proto, max_rows, &batch);
  if (status.ok() && proto.has_targets()) {
    status = TensorFromProto(proto.targets(), Rank::kVectorOrMatrix, max_rows, "batch.targets",
                             &batch.targets);
  }
  if (status.ok() && proto.has_times()) {
    status = VectorFromProto(proto.times(), max_rows, "batch.times", &batch.times);
  }
  if (status.ok() && proto.has_weights()) {
    status = VectorFromProto(proto.weights(), max_rows, "batch.weights", &batch.weights);
  }
  if (status.ok()) status = CheckRows(proto.labels_size(), max_rows, "batch.labels");
  if (!status.ok()) return status;
  batch.labels.assign(proto.labels().begin(), proto.labels().end());
  batch.learned_before = proto.learned_before();
  return batch;
}

absl::StatusOr<Batch> BatchFromBytes(std::string_view bytes) {
  v1::Batch proto;
  if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return absl::DataLossError("not a serialized prequel.v1.Batch");
  }
  return BatchFromProto(proto, kAnyRows);
}

}  // namespace prequel::wire
