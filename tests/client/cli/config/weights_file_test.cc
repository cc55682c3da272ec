#include "client/cli/config/weights_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/data/npy.h"
#include "client/make_tensor.h"
#include "tests/client/temporary_file.h"

namespace prequel::cli::weights_file_test {
namespace {

using client::TemporaryFile;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::Component Read(const std::string& content, WeightsRole role = WeightsRole::kMeans) {
  const TemporaryFile file(content);
  v1::Component prior;
  const absl::Status status = ReadWeights(file.path(), role, &prior);
  EXPECT_TRUE(status.ok()) << status;
  return prior;
}

std::string Refusal(const std::string& content) {
  const TemporaryFile file(content);
  v1::Component prior;
  const absl::Status status = ReadWeights(file.path(), WeightsRole::kMeans, &prior);
  EXPECT_THAT(std::string(status.message()), HasSubstr(file.path()));
  return status.ok() ? "accepted" : std::string(status.message());
}

std::vector<double> Values(const v1::Component& prior, const std::string& name) {
  return *client::TensorValues(prior.arrays().at(name));
}

std::string Npy(const std::string& shape, const std::vector<float>& elements) {
  const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}";
  std::string bytes(client::kNpyMagic);
  bytes += {1, 0, static_cast<char>(header.size()), 0};
  bytes += header;
  return bytes.append(reinterpret_cast<const char*>(elements.data()), 4 * elements.size());
}

TEST(WeightsFileTest, AListOfNumbersIsAllWeights) {
  EXPECT_THAT(Values(Read("[1, -2.5, 3e-2]"), "weights"), ElementsAre(1, -2.5, 0.03));
  EXPECT_THAT(Values(Read("[1, 2]", WeightsRole::kVariances), "variances"), ElementsAre(1, 2));
  EXPECT_THAT(Values(Read(Npy("(2,)", {3, 4})), "weights"), ElementsAre(3, 4));
}

TEST(WeightsFileTest, ATableIsTheOnlyLayer) {
  const v1::Component prior = Read(Npy("(2, 1)", {3, 4}));
  EXPECT_EQ(prior.arrays_size(), 1);
  EXPECT_THAT(prior.arrays().at("layer1.weights").shape(), ElementsAre(2, 1));
  EXPECT_EQ(prior.arrays().at("layer1.weights").dtype(), v1::Tensor::DTYPE_FLOAT32);
}

TEST(WeightsFileTest, LayersKeepTheirShapes) {
  const std::string layers =
      R"([{"weights": [[1, 2, 3], [4, 5, 6]], "bias": [7, 8]}, {"weights": [[9, 10]]}])";
  const v1::Component means = Read(layers);
  EXPECT_EQ(means.arrays_size(), 3);
  EXPECT_THAT(means.arrays().at("layer1.weights").shape(), ElementsAre(2, 3));
  EXPECT_THAT(Values(means, "layer1.weights"), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(Values(means, "layer1.bias"), ElementsAre(7, 8));
  EXPECT_THAT(means.arrays().at("layer2.weights").shape(), ElementsAre(1, 2));
  const v1::Component variances = Read(layers, WeightsRole::kVariances);
  EXPECT_THAT(Values(variances, "layer2.weights_variances"), ElementsAre(9, 10));
  EXPECT_THAT(Values(variances, "layer1.bias_variances"), ElementsAre(7, 8));
}

TEST(WeightsFileTest, WhatItIsNotIsSaid) {
  EXPECT_THAT(Refusal("what?"), HasSubstr("neither a .npy file nor JSON"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("a list of numbers or of layers"));
  EXPECT_THAT(Refusal("{}"), HasSubstr("a list of numbers or of layers"));
  EXPECT_THAT(Refusal("[1, \"2\"]"), HasSubstr("[1] must be a number"));
  EXPECT_THAT(Refusal("[[1, 2]]"), HasSubstr("[0] must be a layer"));
  EXPECT_THAT(Refusal(R"([{"bias": [1]}])"), HasSubstr("[0] must be a layer"));
  EXPECT_THAT(Refusal(R"([{"weights": [1]}])"), HasSubstr("[0].weights[0] must be a list"));
  EXPECT_THAT(Refusal(R"([{"weights": 1}])"), HasSubstr("[0].weights must be a list of rows"));
  EXPECT_THAT(Refusal(R"([{"weights": [[1, 2], [3]]}])"),
              HasSubstr("[0].weights[1] has 1 numbers, the row before has 2"));
  EXPECT_THAT(Refusal(R"([{"weights": [[null]]}])"), HasSubstr("[0].weights[0][0] must be a num"));
  EXPECT_THAT(Refusal(R"([{"weights": [[1]], "biases": [1]}])"), HasSubstr("[0].biases"));
  EXPECT_THAT(Refusal(Npy("(3,)", {3, 4})), HasSubstr("needs 12 bytes, there are 8"));
  v1::Component prior;
  EXPECT_TRUE(absl::IsNotFound(ReadWeights("/no/such/file", WeightsRole::kMeans, &prior)));
}

}  // namespace
}  // namespace prequel::cli::weights_file_test
