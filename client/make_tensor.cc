#include "client/make_tensor.h"

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace prequel::client {
namespace {

template <typename Bits>
void Append(Bits bits, std::string& out) {
  for (std::size_t i = 0; i < sizeof(Bits); ++i) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(bits >> (8 * i))));
  }
}

template <typename Float, typename Bits>
std::vector<double> Decode(const std::string& data) {
  std::vector<double> values(data.size() / sizeof(Bits));
  for (std::size_t i = 0; i < values.size(); ++i) {
    Bits bits = 0;
    for (std::size_t b = 0; b < sizeof(Bits); ++b) {
      bits |= static_cast<Bits>(static_cast<unsigned char>(data[i * sizeof(Bits) + b])) << (8 * b);
    }
    values[i] = static_cast<double>(std::bit_cast<Float>(bits));
  }
  return values;
}

absl::Status WrongSize(std::size_t have, std::size_t want) {
  return absl::DataLossError(
      absl::StrCat("a tensor holds ", have, " elements where its shape asks for ", want));
}

}  // namespace

v1::Tensor MakeTensor(const std::vector<double>& values, const std::vector<std::int64_t>& shape,
                      v1::Tensor::Dtype dtype) {
  v1::Tensor tensor;
  tensor.set_dtype(dtype);
  tensor.mutable_shape()->Assign(shape.begin(), shape.end());
  std::string& data = *tensor.mutable_data();
  if (dtype == v1::Tensor::DTYPE_FLOAT32) {
    data.reserve(values.size() * sizeof(float));
    for (double value : values) {
      Append(std::bit_cast<std::uint32_t>(static_cast<float>(value)), data);
    }
  } else {
    data.reserve(values.size() * sizeof(double));
    for (double value : values) Append(std::bit_cast<std::uint64_t>(value), data);
  }
  return tensor;
}

absl::StatusOr<std::vector<double>> TensorValues(const v1::Tensor& tensor) {
  std::size_t want = tensor.shape().empty() ? 0 : 1;
  for (std::int64_t extent : tensor.shape()) want *= static_cast<std::size_t>(extent);
  std::vector<double> values;
  if (tensor.data().empty()) {
    values.assign(tensor.values().begin(), tensor.values().end());
  } else if (tensor.dtype() == v1::Tensor::DTYPE_FLOAT32) {
    values = Decode<float, std::uint32_t>(tensor.data());
  } else {
    values = Decode<double, std::uint64_t>(tensor.data());
  }
  if (values.size() != want) return WrongSize(values.size(), want);
  return values;
}

}  // namespace prequel::client
