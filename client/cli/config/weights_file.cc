#include "client/cli/config/weights_file.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "client/cli/output/proto_json.h"
#include "client/data/byte_source.h"
#include "client/data/npy.h"
#include "client/make_tensor.h"
#include "google/protobuf/struct.pb.h"

namespace prequel::cli {
namespace {

using google::protobuf::ListValue;
using google::protobuf::Value;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;  // more than any server takes

// What the prior calls its arrays: all numbers in one, and those of a layer.
struct ArrayNames {
  const char *whole, *weights, *bias;
};
constexpr ArrayNames kMeans = {"weights", "weights", "bias"};
constexpr ArrayNames kVariances = {"variances", "weights_variances", "bias_variances"};

std::string OfLayer(int l, const char* name) { return absl::StrCat("layer", l + 1, ".", name); }

absl::StatusOr<std::string> ReadAll(const std::string& path) {
  absl::StatusOr<std::unique_ptr<client::ByteSource>> source = client::ByteSource::Open(path);
  if (!source.ok()) return source.status();
  constexpr std::size_t kPiece = 1 << 16;
  std::string bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + kPiece);
    const absl::StatusOr<std::size_t> read = (*source)->Read(bytes.data() + before, kPiece);
    if (!read.ok()) return read.status();
    bytes.resize(before + *read);
    if (*read == 0) return bytes;
    if (bytes.size() > kMaxBytes) return absl::InvalidArgumentError("larger than 1 GiB");
  }
}

// Appends the numbers of `value`, which `where` names in errors.
absl::Status AppendNumbers(const Value& value, const std::string& where,
                           std::vector<double>& numbers) {
  if (value.kind_case() != Value::kListValue) {
    return absl::InvalidArgumentError(absl::StrCat(where, " must be a list of numbers"));
  }
  for (int i = 0; i < value.list_value().values_size(); ++i) {
    const Value& number = value.list_value().values(i);
    if (number.kind_case() != Value::kNumberValue) {
      return absl::InvalidArgumentError(absl::StrCat(where, "[", i, "] must be a number"));
    }
    numbers.push_back(number.number_value());
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::Tensor> List(const Value& value, const std::string& where) {
  std::vector<double> numbers;
  absl::Status status = AppendNumbers(value, where, numbers);
  if (!status.ok()) return status;
  return client::MakeTensor(numbers, {static_cast<std::int64_t>(numbers.size())});
}

absl::StatusOr<v1::Tensor> Table(const Value& value, const std::string& where) {
  const ListValue& rows = value.list_value();
  if (rows.values().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(where, " must be a list of rows of numbers"));
  }
  std::vector<double> numbers;
  for (int i = 0; i < rows.values_size(); ++i) {
    const std::string row = absl::StrCat(where, "[", i, "]");
    absl::Status status = AppendNumbers(rows.values(i), row, numbers);
    if (!status.ok()) return status;
    const int columns = rows.values(0).list_value().values_size();
    const int has = rows.values(i).list_value().values_size();
    if (has != columns) {
      return absl::InvalidArgumentError(
          absl::StrCat(row, " has ", has, " numbers, the row before has ", columns));
    }
  }
  const std::int64_t count = rows.values_size();
  return client::MakeTensor(numbers, {count, static_cast<std::int64_t>(numbers.size()) / count});
}

absl::Status AddLayer(const Value& layer, int l, const ArrayNames& names, v1::Component* prior) {
  const std::string where = absl::StrCat("[", l, "]");
  if (layer.kind_case() != Value::kStructValue ||
      layer.struct_value().fields().count("weights") == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(where, " must be a layer: {\"weights\": [[…], …], \"bias\": […]}"));
  }
  for (const auto& [key, value] : layer.struct_value().fields()) {
    const std::string part = absl::StrCat(where, ".", key);
    const bool bias = key == "bias";
    if (!bias && key != "weights") {
      return absl::InvalidArgumentError(
          absl::StrCat(part, ": a layer has \"weights\" and \"bias\""));
    }
    absl::StatusOr<v1::Tensor> tensor = bias ? List(value, part) : Table(value, part);
    if (!tensor.ok()) return tensor.status();
    (*prior->mutable_arrays())[OfLayer(l, bias ? names.bias : names.weights)] = *std::move(tensor);
  }
  return absl::OkStatus();
}

absl::Status AddJson(const std::string& text, const ArrayNames& names, v1::Component* prior) {
  Value root;
  if (absl::Status status = FromJson(text, &root); !status.ok()) {
    return absl::InvalidArgumentError("neither a .npy file nor JSON");
  }
  const ListValue& list = root.list_value();
  if (list.values().empty()) {
    return absl::InvalidArgumentError("must be a list of numbers or of layers");
  }
  if (list.values(0).kind_case() != Value::kNumberValue) {
    for (int l = 0; l < list.values_size(); ++l) {
      if (absl::Status status = AddLayer(list.values(l), l, names, prior); !status.ok()) {
        return status;
      }
    }
    return absl::OkStatus();
  }
  absl::StatusOr<v1::Tensor> tensor = List(root, "");
  if (!tensor.ok()) return tensor.status();
  (*prior->mutable_arrays())[names.whole] = *std::move(tensor);
  return absl::OkStatus();
}

absl::Status AddNpy(const std::string& bytes, const ArrayNames& names, v1::Component* prior) {
  absl::StatusOr<v1::Tensor> tensor = client::TensorFromNpy(bytes);
  if (!tensor.ok()) return tensor.status();
  const bool whole = tensor->shape_size() == 1;
  (*prior->mutable_arrays())[whole ? names.whole : OfLayer(0, names.weights)] = *std::move(tensor);
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadWeights(const std::string& path, WeightsRole role, v1::Component* prior) {
  const ArrayNames& names = role == WeightsRole::kMeans ? kMeans : kVariances;
  const absl::StatusOr<std::string> bytes = ReadAll(path);
  absl::Status status = bytes.status();
  if (absl::IsNotFound(status)) return status;
  if (status.ok()) {
    status = bytes->starts_with(client::kNpyMagic) ? AddNpy(*bytes, names, prior)
                                                   : AddJson(*bytes, names, prior);
  }
  if (status.ok()) return status;
  return absl::Status(status.code(), absl::StrCat(path, ": ", std::string(status.message())));
}

}  // namespace prequel::cli
