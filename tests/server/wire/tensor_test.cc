#include "server/wire/tensor_message.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "core/config/field_error.h"

namespace prequel::wire::tensor_test {
namespace {

constexpr Index kManyRows = 1 << 20;

template <typename Element>
v1::Tensor Raw(v1::Tensor::Dtype dtype, const std::vector<std::int64_t>& shape,
               const std::vector<Element>& elements) {
  v1::Tensor tensor;
  tensor.set_dtype(dtype);
  for (std::int64_t extent : shape) tensor.add_shape(extent);
  tensor.mutable_data()->assign(reinterpret_cast<const char*>(elements.data()),
                                elements.size() * sizeof(Element));
  return tensor;
}

std::string FieldRefused(const v1::Tensor& tensor, Rank rank = Rank::kMatrix,
                         Index max_rows = kManyRows) {
  const absl::StatusOr<Matrix> matrix = MatrixFromTensor(tensor, rank, max_rows, "t");
  if (matrix.ok()) return "accepted";
  if (!absl::IsInvalidArgument(matrix.status())) return "another code";
  return FieldOf(matrix.status()).value_or("no field");
}

TEST(TensorTest, RowsBecomeColumns) {
  const auto matrix =
      MatrixFromTensor(Raw<double>(v1::Tensor::DTYPE_FLOAT64, {2, 3}, {1, 2, 3, 4, 5, 6}),
                       Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(*matrix, (Matrix(3, 2) << 1, 4, 2, 5, 3, 6).finished());
}

TEST(TensorTest, Float32KeepsEveryValueExactly) {
  const std::vector<float> values = {0.1F,
                                     -0.0F,
                                     std::numeric_limits<float>::denorm_min(),
                                     std::numeric_limits<float>::max(),
                                     std::numeric_limits<float>::infinity(),
                                     3.F};
  const auto matrix = MatrixFromTensor(Raw<float>(v1::Tensor::DTYPE_FLOAT32, {3, 2}, values),
                                       Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  for (Index i = 0; i < 6; ++i) {
    EXPECT_EQ(matrix->data()[i], static_cast<double>(values[static_cast<std::size_t>(i)]));
  }
  EXPECT_TRUE(std::signbit(matrix->data()[1]));
}

TEST(TensorTest, AVectorIsOneColumnPerRow) {
  const v1::Tensor tensor = Raw<float>(v1::Tensor::DTYPE_FLOAT32, {3}, {1, 2, 3});
  const auto matrix = MatrixFromTensor(tensor, Rank::kVectorOrMatrix, kManyRows, "t");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(*matrix, (Matrix(1, 3) << 1, 2, 3).finished());
  EXPECT_EQ(FieldRefused(tensor), "t.shape");
}

TEST(TensorTest, ValuesMayReplaceData) {
  v1::Tensor tensor;
  tensor.add_shape(2);
  tensor.add_shape(1);
  tensor.add_values(0.25);
  EXPECT_EQ(FieldRefused(tensor), "t.values");
  tensor.add_values(-1);
  const auto matrix = MatrixFromTensor(tensor, Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(*matrix, (Matrix(1, 2) << 0.25, -1).finished());
  tensor.set_data("x");
  EXPECT_EQ(FieldRefused(tensor), "t.values");
}

TEST(TensorTest, NoColumnsIsAnEmptyMatrix) {
  const auto matrix = MatrixFromTensor(Raw<float>(v1::Tensor::DTYPE_FLOAT32, {7, 0}, {}),
                                       Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(matrix.ok()) << matrix.status();
  EXPECT_EQ(matrix->size(), 0);
}

TEST(TensorTest, OnlyTheShapeThatTheDataFillIsAccepted) {
  using Shape = std::vector<std::int64_t>;
  constexpr std::int64_t kHuge = std::int64_t{1} << 62;
  const auto refused = [](const Shape& shape) {
    return FieldRefused(Raw<float>(v1::Tensor::DTYPE_FLOAT32, shape, {1, 2, 3, 4}), Rank::kMatrix,
                        std::numeric_limits<Index>::max());
  };
  EXPECT_EQ(refused({2, 2}), "accepted");
  for (const Shape& shape : {Shape{2, 3}, Shape{1, 3}, Shape{kHuge, 4}, Shape{kHuge, kHuge},
                             Shape{4, kHuge}, Shape{2, kHuge + 2}, Shape{kHuge, 0}}) {
    EXPECT_EQ(refused(shape), "t.data");
  }
  for (const Shape& shape : {Shape{}, Shape{4}, Shape{2, 2, 1}, Shape{-2, -2}, Shape{-1, 0},
                             Shape{0, 4}, Shape{std::numeric_limits<std::int64_t>::min(), 2}}) {
    EXPECT_EQ(refused(shape), "t.shape");
  }
}

TEST(TensorTest, RowsAreBounded) {
  const v1::Tensor tensor = Raw<float>(v1::Tensor::DTYPE_FLOAT32, {4, 1}, {1, 2, 3, 4});
  EXPECT_EQ(FieldRefused(tensor, Rank::kMatrix, 4), "accepted");
  EXPECT_EQ(FieldRefused(tensor, Rank::kMatrix, 3), "t.shape");
}

TEST(TensorTest, DtypeMustBeGivenWithData) {
  v1::Tensor tensor = Raw<float>(v1::Tensor::DTYPE_FLOAT32, {1, 1}, {1});
  tensor.clear_dtype();
  EXPECT_EQ(FieldRefused(tensor), "t.dtype");
  tensor.set_dtype(static_cast<v1::Tensor::Dtype>(7));
  EXPECT_EQ(FieldRefused(tensor), "t.dtype");
}

TEST(TensorTest, GoesThereAndBack) {
  const Matrix matrix = (Matrix(2, 3) << 1, 2, 3, 4, 5, 6).finished();
  v1::Tensor tensor;
  TensorFromMatrix(matrix, {2}, &tensor);
  EXPECT_EQ(tensor.shape(0), 3);
  EXPECT_EQ(tensor.shape(1), 2);
  const auto back = MatrixFromTensor(tensor, Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, matrix);
}

TEST(TensorTest, WritesAPartOfAMatrix) {
  const Matrix matrix = (Matrix(3, 2) << 1, 2, 3, 4, 5, 6).finished();
  v1::Tensor tensor;
  TensorFromMatrix(matrix.topRows(2), {2}, &tensor);
  const auto back = MatrixFromTensor(tensor, Rank::kMatrix, kManyRows, "t");
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, matrix.topRows(2));
}

}  // namespace
}  // namespace prequel::wire::tensor_test
