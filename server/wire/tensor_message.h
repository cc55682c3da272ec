// Tensors as they travel, and matrices as core computes with them: row-major [rows, columns] bytes
// are exactly a column-major matrix with one column per example, so nothing is transposed.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "core/linalg/types.h"
#include "prequel/v1/tensor.pb.h"

namespace prequel::wire {

enum class Rank { kMatrix, kVectorOrMatrix };

// The tensor as columns × rows, one column per row of the tensor; a tensor of shape [rows] has one
// column. A shape without columns gives an empty matrix, whatever its rows.
// INVALID_ARGUMENT names `field`.shape, .dtype or .data: no shape but the one that the data fill is
// accepted, and none with more than `max_rows`, before anything is allocated.
absl::StatusOr<Matrix> MatrixFromTensor(const v1::Tensor& tensor, Rank rank, Index max_rows,
                                        std::string_view field);

// `matrix` has one column per row of the tensor; `row_shape` is the shape of one row and its
// product is matrix.rows().
void TensorFromMatrix(ConstMatrixRef matrix, const std::vector<std::int64_t>& row_shape,
                      v1::Tensor* tensor);

}  // namespace prequel::wire
