#include "server/inference/json_answer.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// Keys in the order in which they are set.
using OrderedJson = nlohmann::ordered_json;
using OutputTensor = inference::ModelInferResponse::InferOutputTensor;

std::string Text(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

OrderedJson JsonOf(
    const google::protobuf::Map<std::string, inference::InferParameter>& parameters) {
  OrderedJson json = OrderedJson::object();
  for (const auto& [name, value] :
       std::map<std::string, inference::InferParameter>(parameters.begin(), parameters.end())) {
    if (value.has_bool_param()) json[name] = value.bool_param();
    if (value.has_int64_param()) json[name] = value.int64_param();
    if (value.has_string_param()) json[name] = value.string_param();
  }
  return json;
}

void AppendNumbers(const std::string& raw, std::string& json) {
  char digits[32];
  for (std::size_t at = 0; at + sizeof(double) <= raw.size(); at += sizeof(double)) {
    double number = 0;
    std::memcpy(&number, raw.data() + at, sizeof(number));
    if (at > 0) json.push_back(',');
    if (std::isfinite(number)) {
      json.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
    } else {
      json.append("null");
    }
  }
}

void AppendTexts(std::string_view raw, std::string& json) {
  bool first = true;
  std::uint32_t length = 0;
  while (raw.size() >= sizeof(length)) {
    std::memcpy(&length, raw.data(), sizeof(length));
    raw.remove_prefix(sizeof(length));
    if (!first) json.push_back(',');
    first = false;
    json.append(Text(std::string(raw.substr(0, length))));
    raw.remove_prefix(length);
  }
}

bool IsTrue(const google::protobuf::Map<std::string, inference::InferParameter>& parameters,
            const char* name, bool otherwise) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? otherwise : found->second.bool_param();
}

// The tensor's object without its end, which its contents come before.
std::string Opened(const OutputTensor& tensor, std::size_t binary_size, bool binary) {
  OrderedJson head;
  head["name"] = tensor.name();
  head["datatype"] = tensor.datatype();
  head["shape"] =
      OrderedJson(std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end()));
  OrderedJson parameters = JsonOf(tensor.parameters());
  if (binary) parameters["binary_data_size"] = binary_size;
  if (!parameters.empty()) head["parameters"] = std::move(parameters);
  std::string text = Text(head);
  text.pop_back();
  return text;
}

OrderedJson Tensors(
    const google::protobuf::RepeatedPtrField<inference::ModelMetadataResponse::TensorMetadata>&
        tensors) {
  OrderedJson list = OrderedJson::array();
  for (const auto& tensor : tensors) {
    list.push_back(
        {{"name", tensor.name()},
         {"datatype", tensor.datatype()},
         {"shape", std::vector<std::int64_t>(tensor.shape().begin(), tensor.shape().end())}});
  }
  return list;
}

}  // namespace

JsonAnswer JsonOf(const inference::ModelInferRequest& request,
                  const inference::ModelInferResponse& response) {
  const bool all = IsTrue(request.parameters(), "binary_data_output", false);
  OrderedJson head;
  head["model_name"] = response.model_name();
  head["model_version"] = response.model_version();
  if (!response.id().empty()) head["id"] = response.id();
  head["parameters"] = JsonOf(response.parameters());
  JsonAnswer answer;
  std::string& json = answer.body;
  json = Text(head);
  json.pop_back();
  json.append(",\"outputs\":[");
  std::string follows;
  bool any = false;
  for (int i = 0; i < response.outputs_size(); ++i) {
    const OutputTensor& tensor = response.outputs(i);
    const std::string& raw = response.raw_output_contents(i);
    const bool binary = request.outputs().empty()
                            ? all
                            : IsTrue(request.outputs(i).parameters(), "binary_data", all);
    if (i > 0) json.push_back(',');
    json.append(Opened(tensor, raw.size(), binary));
    if (binary) {
      follows.append(raw);
      any = true;
    } else {
      json.append(",\"data\":[");
      tensor.datatype() == "BYTES" ? AppendTexts(raw, json) : AppendNumbers(raw, json);
      json.push_back(']');
    }
    json.push_back('}');
  }
  json.append("]}");
  if (any) answer.json_length = json.size();
  json.append(follows);
  return answer;
}

std::string JsonOf(const inference::ServerMetadataResponse& response) {
  OrderedJson json;
  json["name"] = response.name();
  json["version"] = response.version();
  json["extensions"] =
      std::vector<std::string>(response.extensions().begin(), response.extensions().end());
  return Text(json);
}

std::string JsonOf(const inference::ModelMetadataResponse& response) {
  OrderedJson json;
  json["name"] = response.name();
  json["versions"] =
      std::vector<std::string>(response.versions().begin(), response.versions().end());
  json["platform"] = response.platform();
  json["inputs"] = Tensors(response.inputs());
  json["outputs"] = Tensors(response.outputs());
  return Text(json);
}

std::string JsonOf(const std::string& model, const inference::ModelReadyResponse& response) {
  OrderedJson json;
  json["name"] = model;
  json["ready"] = response.ready();
  return Text(json);
}

}  // namespace prequel
