// Tensors as they travel: little-endian raw elements, row major.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "prequel/v1/tensor.pb.h"

namespace prequel::client {

// REQUIRES: product(shape) == values.size(). DTYPE_FLOAT32 rounds each value to nearest.
v1::Tensor MakeTensor(const std::vector<double>& values, const std::vector<std::int64_t>& shape,
                      v1::Tensor::Dtype dtype = v1::Tensor::DTYPE_FLOAT64);

// The elements in row-major order, from `data` or, when that is empty, from `values`.
// DATA_LOSS when their number does not match the shape.
absl::StatusOr<std::vector<double>> TensorValues(const v1::Tensor& tensor);

}  // namespace prequel::client
