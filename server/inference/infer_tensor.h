// The input tensors of the open inference protocol, wherever their contents are: typed, beside
// their shape, or raw, in a list of the request's own.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"
#include "inference/grpc_predict_v2.pb.h"

namespace prequel {

// Points into the request.
struct InputTensor {
  const inference::ModelInferRequest::InferInputTensor* header = nullptr;
  const std::string* raw = nullptr;  // little-endian; null: header->contents()
  int index = 0;                     // in the request

  // INVALID_ARGUMENT for "inputs[index].part", which names the tensor.
  absl::Status Error(std::string_view part, std::string_view description) const;
};

// Raw contents belong, in their order, to the tensors that have no typed ones. INVALID_ARGUMENT
// unless there are as many of both.
absl::StatusOr<std::vector<InputTensor>> InputsOf(const inference::ModelInferRequest& request);

// NumberRows is the number of rows of a tensor of numbers of shape [rows, columns] or, with one
// column, [rows]. INVALID_ARGUMENT unless shape, datatype and length of the contents agree and rows
// are in [1, max_rows].
absl::StatusOr<Index> NumberRows(const InputTensor& tensor, Index columns, Index max_rows);
// Writes row r, column c to out(first + c, r). REQUIRES: NumberRows(tensor, columns, …) is
// out.cols().
void ReadNumbers(const InputTensor& tensor, Index columns, Index first, Matrix& out);

// ReadTexts reads BYTES of shape [rows] or [rows, 1], each of which is UTF-8. INVALID_ARGUMENT as
// for NumberRows.
absl::StatusOr<std::vector<std::string>> ReadTexts(const InputTensor& tensor, Index max_rows);

}  // namespace prequel
