#include "server/wire/tensor_message.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel::wire {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors travel little-endian");

struct Extent {
  std::int64_t rows = 0;
  std::int64_t columns = 0;
};

absl::Status ShapeError(std::string_view field, const std::string& description) {
  return FieldError(std::string(field) + ".shape", description);
}

absl::StatusOr<Extent> ExtentOf(const v1::Tensor& tensor, Rank rank, Index max_rows,
                                std::string_view field) {
  const int dimensions = tensor.shape_size();
  const bool vector = rank == Rank::kVectorOrMatrix && dimensions == 1;
  if (dimensions != 2 && !vector) {
    const char* wanted = rank == Rank::kMatrix ? "[rows, columns]" : "[rows] or [rows, columns]";
    return ShapeError(field, absl::StrCat("must be ", wanted, ", has ", dimensions, " dimensions"));
  }
  const Extent extent{tensor.shape(0), vector ? 1 : tensor.shape(1)};
  if (extent.rows < 0 || extent.columns < 0) {
    return ShapeError(field, "must not be negative");
  }
  if (extent.rows == 0) return ShapeError(field, "has no rows; a minibatch has at least one");
  if (extent.rows > max_rows) {
    return ShapeError(field, absl::StrCat("has ", extent.rows, " rows, the limit is ", max_rows));
  }
  return extent;
}

// rows · columns · size, or -1 when that does not fit.
std::int64_t Product(const Extent& extent, std::int64_t size) {
  std::int64_t elements = 0, bytes = 0;
  if (__builtin_mul_overflow(extent.rows, extent.columns, &elements)) return -1;
  if (__builtin_mul_overflow(elements, size, &bytes)) return -1;
  return bytes;
}

absl::Status CheckLength(const Extent& extent, std::int64_t size, std::size_t actual,
                         const char* unit, const std::string& field) {
  const std::int64_t expected = Product(extent, size);
  if (expected >= 0 && static_cast<std::size_t>(expected) == actual) return absl::OkStatus();
  const std::string wanted = expected < 0 ? "more than 2^63" : absl::StrCat(expected);
  return FieldError(field, absl::StrCat("shape [", extent.rows, ", ", extent.columns, "] needs ",
                                        wanted, " ", unit, ", has ", actual));
}

// The bytes need not be aligned. Compiles to wide loads and conversions.
template <typename Element>
Matrix Convert(const std::string& bytes, const Extent& extent) {
  Matrix matrix(extent.columns, extent.rows);
  double* out = matrix.data();
  const char* in = bytes.data();
  const Index size = matrix.size();
  for (Index i = 0; i < size; ++i) {
    Element element;
    std::memcpy(&element, in + i * static_cast<Index>(sizeof(Element)), sizeof(Element));
    out[i] = static_cast<double>(element);
  }
  return matrix;
}

absl::StatusOr<Matrix> FromValues(const v1::Tensor& tensor, const Extent& extent,
                                  std::string_view field) {
  const absl::Status length = CheckLength(extent, 1, static_cast<std::size_t>(tensor.values_size()),
                                          "values", std::string(field) + ".values");
  if (!length.ok()) return length;
  if (extent.columns == 0) return Matrix();
  return Matrix(Eigen::Map<const Matrix>(tensor.values().data(), extent.columns, extent.rows));
}

absl::StatusOr<Matrix> FromData(const v1::Tensor& tensor, const Extent& extent,
                                std::string_view field) {
  const bool single = tensor.dtype() == v1::Tensor::DTYPE_FLOAT32;
  if (!single && tensor.dtype() != v1::Tensor::DTYPE_FLOAT64) {
    return FieldError(std::string(field) + ".dtype", "must be DTYPE_FLOAT32 or DTYPE_FLOAT64");
  }
  const absl::Status length = CheckLength(extent, single ? 4 : 8, tensor.data().size(), "bytes",
                                          std::string(field) + ".data");
  if (!length.ok()) return length;
  if (extent.columns == 0) return Matrix();
  return single ? Convert<float>(tensor.data(), extent) : Convert<double>(tensor.data(), extent);
}

}  // namespace

absl::StatusOr<Matrix> MatrixFromTensor(const v1::Tensor& tensor, Rank rank, Index max_rows,
                                        std::string_view field) {
  absl::StatusOr<Extent> extent = ExtentOf(tensor, rank, max_rows, field);
  if (!extent.ok()) return extent.status();
  if (!v1::Tensor::Dtype_IsValid(tensor.dtype())) {
    return FieldError(std::string(field) + ".dtype", "must be DTYPE_FLOAT32 or DTYPE_FLOAT64");
  }
  if (tensor.values().empty()) return FromData(tensor, *extent, field);
  if (!tensor.data().empty()) {
    return FieldError(std::string(field) + ".values", "must be empty when data is given");
  }
  return FromValues(tensor, *extent, field);
}

void TensorFromMatrix(ConstMatrixRef matrix, const std::vector<std::int64_t>& row_shape,
                      v1::Tensor* tensor) {
  tensor->set_dtype(v1::Tensor::DTYPE_FLOAT64);
  tensor->add_shape(matrix.cols());
  for (std::int64_t extent : row_shape) tensor->add_shape(extent);
  std::string* data = tensor->mutable_data();
  const std::size_t column = static_cast<std::size_t>(matrix.rows()) * sizeof(double);
  if (matrix.outerStride() == matrix.rows()) {
    data->assign(reinterpret_cast<const char*>(matrix.data()),
                 column * static_cast<std::size_t>(matrix.cols()));
    return;
  }
  data->reserve(column * static_cast<std::size_t>(matrix.cols()));
  for (Index i = 0; i < matrix.cols(); ++i) {
    data->append(reinterpret_cast<const char*>(matrix.col(i).data()), column);
  }
}

}  // namespace prequel::wire
