#include "client/make_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace prequel::client::tensor_test {
namespace {

using ::testing::ElementsAre;

TEST(TensorTest, BytesAreLittleEndian) {
  const v1::Tensor tensor = MakeTensor({1.0}, {1});
  EXPECT_EQ(tensor.data(), std::string("\0\0\0\0\0\0\xf0\x3f", 8));
  EXPECT_EQ(MakeTensor({1.0}, {1}, v1::Tensor::DTYPE_FLOAT32).data(),
            std::string("\0\0\x80\x3f", 4));
}

TEST(TensorTest, RoundTripsBothTypes) {
  const std::vector<double> values = {1.5, -2.25, 0, 1e-3, 7, 8};
  const v1::Tensor tensor = MakeTensor(values, {3, 2});
  EXPECT_THAT(tensor.shape(), ElementsAre(3, 2));
  EXPECT_EQ(*TensorValues(tensor), values);
  const v1::Tensor single = MakeTensor(values, {6}, v1::Tensor::DTYPE_FLOAT32);
  EXPECT_EQ(single.dtype(), v1::Tensor::DTYPE_FLOAT32);
  EXPECT_EQ((*TensorValues(single))[3], static_cast<double>(1e-3f));
}

TEST(TensorTest, TypedValuesAreRead) {
  v1::Tensor tensor;
  tensor.add_shape(2);
  tensor.add_values(1);
  tensor.add_values(2);
  EXPECT_THAT(*TensorValues(tensor), ElementsAre(1, 2));
}

TEST(TensorTest, WrongSizesAreRefused) {
  v1::Tensor tensor = MakeTensor({1, 2, 3}, {3});
  tensor.set_shape(0, 4);
  EXPECT_EQ(TensorValues(tensor).status().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel::client::tensor_test
