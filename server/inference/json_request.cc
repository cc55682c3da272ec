#include "server/inference/json_request.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "server/inference/number_range.h"

namespace prequel {
namespace {

using Request = inference::ModelInferRequest;
using Json = nlohmann::json;
using Parameters = google::protobuf::Map<std::string, inference::InferParameter>;

constexpr char kBinarySize[] = "binary_data_size";
// The tensors that a request may have: no model has more features or outputs.
constexpr int kMaxTensors = (1 << 16) + 1;
constexpr int kMaxDimensions = 8;
// The library's number for the error that no double holds a number.
constexpr int kTooLarge = 406;

// Told of the document from its beginning to its end: fills a request as it goes, so that nothing
// is held twice.
class Reader final : public nlohmann::json_sax<Json> {
 public:
  Reader(Request& request, Index max_rows) : request_(request), max_rows_(max_rows) {}

  const absl::Status& status() const { return status_; }

  bool null() override {
    if (place() == Place::kData) return Number(std::numeric_limits<double>::quiet_NaN());
    if (place() == Place::kParameters) return NoValue();
    return place() != Place::kShape || Wrong("must be whole numbers");
  }
  bool boolean(bool value) override {
    if (place() == Place::kData) return Number(value ? 1 : 0);
    if (place() != Place::kParameters) return Word();
    (*parameters_)[key_].set_bool_param(value);
    return true;
  }
  bool number_integer(std::int64_t value) override { return Whole(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return Whole(static_cast<std::int64_t>(value));
    }
    return number_float(static_cast<double>(value), "");
  }
  bool number_float(double value, const std::string& /*text*/) override {
    if (place() == Place::kData) return Number(value);
    if (place() == Place::kParameters) return NoValue();
    return Word();
  }
  bool string(std::string& value) override {
    switch (place()) {
      case Place::kRequest:
        if (key_ == "id") request_.set_id(value);
        return true;
      case Place::kInput:
        if (key_ == "name") input()->set_name(value);
        if (key_ == "datatype") input()->set_datatype(value);
        return true;
      case Place::kOutput:
        if (key_ == "name") output()->set_name(value);
        return true;
      case Place::kData:
        return Text(value);
      case Place::kParameters:
        (*parameters_)[key_].set_string_param(value);
        return true;
      default:
        return Word();
    }
  }
  bool binary(binary_t& /*value*/) override { return false; }

  bool start_object(std::size_t /*size*/) override {
    switch (place()) {
      case Place::kOutside:
        return Enter(Place::kRequest);
      case Place::kRequest:
        return key_ == "parameters" ? EnterParameters(request_.mutable_parameters()) : Skip();
      case Place::kInputs:
        if (request_.inputs_size() >= kMaxTensors) return Wrong("are too many");
        request_.add_inputs();
        nesting_ = Nesting();
        return Enter(Place::kInput);
      case Place::kInput:
        return key_ == "parameters" ? EnterParameters(input()->mutable_parameters()) : Skip();
      case Place::kOutputs:
        if (request_.outputs_size() >= kMaxTensors) return Wrong("are too many");
        request_.add_outputs();
        return Enter(Place::kOutput);
      case Place::kOutput:
        return key_ == "parameters" ? EnterParameters(output()->mutable_parameters()) : Skip();
      case Place::kParameters:
        return NoValue() && Skip();
      case Place::kSkipped:
        return Skip();
      default:
        return Wrong("must not be an object");
    }
  }
  bool start_array(std::size_t /*size*/) override {
    switch (place()) {
      case Place::kRequest:
        if (key_ == "inputs") return Enter(Place::kInputs);
        return key_ == "outputs" ? Enter(Place::kOutputs) : Skip();
      case Place::kInput:
        if (key_ == "shape") {
          return input()->shape().empty() ? Enter(Place::kShape) : Twice(Place::kShape);
        }
        if (key_ != "data") return Skip();
        if (input()->has_contents()) return Twice(Place::kData);
        input()->mutable_contents();
        ++nesting_.depth;
        return Enter(Place::kData);
      case Place::kData:
        ++nesting_.depth;
        return Enter(Place::kData);
      case Place::kParameters:
        return NoValue() && Skip();
      case Place::kOutput:
      case Place::kSkipped:
        return Skip();
      default:
        return Wrong("must not be a list");
    }
  }
  bool key(std::string& value) override {
    key_ = value;
    return true;
  }
  bool end_object() override {
    if (place() == Place::kInput && !EndInput()) return false;
    places_.pop_back();
    return true;
  }
  bool end_array() override {
    if (place() == Place::kData && !EndList()) return false;
    places_.pop_back();
    return true;
  }
  bool parse_error(std::size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    if (error.id == kTooLarge) {
      status_ = FieldError("body", absl::StrCat("has a number before byte ", position,
                                                " that is too large for FP64"));
      return false;
    }
    status_ = FieldError("body", absl::StrCat("is no JSON from byte ", position,
                                              " on; NaN is null, or goes as binary data"));
    return false;
  }

 private:
  enum class Place : char {
    kOutside,
    kRequest,
    kParameters,
    kInputs,
    kInput,
    kShape,
    kData,
    kOutputs,
    kOutput,
    kSkipped,  // what this protocol has no use for
  };

  // How the lists of a tensor's data are nested.
  struct Nesting {
    int depth = 0;    // of the list that is being read
    int leaves = 0;   // depth of those that hold values; 0: there was none
    Index width = 0;  // of those that are complete; 0: there was none
    Index count = 0;  // of values, in the one that is being read
  };

  Place place() const { return places_.empty() ? Place::kOutside : places_.back(); }
  Request::InferInputTensor* input() { return request_.mutable_inputs(request_.inputs_size() - 1); }
  Request::InferRequestedOutputTensor* output() {
    return request_.mutable_outputs(request_.outputs_size() - 1);
  }

  bool Enter(Place place) {
    places_.push_back(place);
    return true;
  }
  bool Skip() { return Enter(Place::kSkipped); }
  bool EnterParameters(Parameters* parameters) {
    parameters_ = parameters;
    return Enter(Place::kParameters);
  }

  // A parameter may hold what the protocol has no value for, such as a fraction, a list or null: it
  // is left without one. Whoever knows the parameter refuses it, and nobody knows the others.
  bool NoValue() {
    (*parameters_)[key_].Clear();
    return true;
  }

  bool Twice(Place what) {
    places_.push_back(what);
    return Wrong("comes a second time");
  }

  // A word or a number where there is nothing to be said by one.
  bool Word() {
    const bool list = place() == Place::kInputs || place() == Place::kOutputs;
    if (list || place() == Place::kOutside) return Wrong("must be objects");
    return place() != Place::kShape || Wrong("must be whole numbers");
  }

  bool Whole(std::int64_t value) {
    if (place() == Place::kData) return Number(static_cast<double>(value));
    if (place() == Place::kParameters) {
      (*parameters_)[key_].set_int64_param(value);
      return true;
    }
    if (place() != Place::kShape) return Word();
    if (input()->shape_size() >= kMaxDimensions) return Wrong("has too many dimensions");
    input()->add_shape(value);
    return true;
  }

  bool Number(double value) {
    input()->mutable_contents()->add_fp64_contents(value);
    return Leaf();
  }

  bool Leaf() {
    if (nesting_.leaves == 0) nesting_.leaves = nesting_.depth;
    ++nesting_.count;
    return nesting_.leaves == nesting_.depth || Wrong("has values beside lists");
  }

  // Lists that are not of one length are not the tensor that they look like.
  bool EndList() {
    const bool inner = nesting_.depth > 1 && nesting_.depth == nesting_.leaves;
    --nesting_.depth;
    if (!inner) return true;
    const Index count = std::exchange(nesting_.count, 0);
    if (nesting_.width == 0) nesting_.width = count;
    return count == nesting_.width || Wrong("has lists of different lengths");
  }

  bool Text(const std::string& value) {
    auto* texts = input()->mutable_contents()->mutable_bytes_contents();
    if (texts->size() >= max_rows_) {
      return Wrong(absl::StrCat("has more texts than the ", max_rows_, " rows there may be"));
    }
    *texts->Add() = value;
    return Leaf();
  }

  // Whatever datatype the numbers have, they are FP64 from here on, if they fit it.
  bool EndInput() {
    if (!input()->has_contents()) return true;
    const auto& contents = input()->contents();
    const std::string& datatype = input()->datatype();
    const bool text = datatype == "BYTES";
    if (text ? contents.fp64_contents_size() > 0 : contents.bytes_contents_size() > 0) {
      return Wrong(text ? "must be texts, as datatype BYTES says"
                        : "must be numbers, as the datatype says");
    }
    if (!ShapeIsThatOfLists()) return false;
    const std::optional<NumberRange> range = RangeOf(datatype);
    if (!range) return true;  // texts, or whoever reads it will name what there is
    for (const double value : contents.fp64_contents()) {
      if (range->whole && value != std::floor(value) && !std::isnan(value)) {
        return Wrong("must be whole numbers, as the datatype says");
      }
      if (value < range->least || value > range->most) {
        return Wrong(absl::StrCat("has ", value, ", which is no ", datatype));
      }
    }
    input()->set_datatype("FP64");
    return true;
  }

  bool ShapeIsThatOfLists() {
    const auto& shape = input()->shape();
    if (nesting_.leaves < 2 || nesting_.leaves != shape.size()) return true;
    const std::int64_t last = shape.Get(shape.size() - 1);
    return last == nesting_.width ||
           Wrong(absl::StrCat("has lists of ", nesting_.width, ", and the shape ends with ", last));
  }

  // Names the tensor by its place and its name.
  bool Wrong(const std::string& description) {
    std::string field = place() == Place::kOutputs ? "outputs" : "inputs";
    std::string whose;
    const bool of_input =
        place() == Place::kInput || place() == Place::kShape || place() == Place::kData;
    if (of_input) {
      absl::StrAppend(&field, "[", request_.inputs_size() - 1, "].",
                      place() == Place::kShape ? "shape" : "data");
      whose = absl::StrCat("of tensor ", Quoted(input()->name()), " ");
    } else if (place() == Place::kOutside) {
      field = "body";
    }
    status_ = FieldError(field, whose + description);
    return false;
  }

  Request& request_;
  const Index max_rows_;
  std::vector<Place> places_;
  std::string key_;
  Parameters* parameters_ = nullptr;
  Nesting nesting_;
  absl::Status status_;
};

// Gives each tensor that asks for it a piece of `binary`.
absl::Status Distribute(std::string_view binary, Request& request) {
  for (int i = 0; i < request.inputs_size(); ++i) {
    const auto& input = request.inputs(i);
    const auto size = input.parameters().find(kBinarySize);
    if (size == input.parameters().end() || input.has_contents()) continue;
    if (!size->second.has_int64_param()) {
      return FieldError(absl::StrCat("inputs[", i, "].parameters.", kBinarySize),
                        absl::StrCat("of tensor ", Quoted(input.name()), " must be an integer"));
    }
    const std::int64_t bytes = size->second.int64_param();
    if (bytes < 0 || static_cast<std::uint64_t>(bytes) > binary.size()) {
      return FieldError(absl::StrCat("inputs[", i, "].parameters.", kBinarySize),
                        absl::StrCat("of tensor ", Quoted(input.name()), " is ", bytes, ", and ",
                                     binary.size(), " bytes are left"));
    }
    request.add_raw_input_contents(binary.data(), static_cast<std::size_t>(bytes));
    binary.remove_prefix(static_cast<std::size_t>(bytes));
  }
  if (binary.empty()) return absl::OkStatus();
  return FieldError("body", absl::StrCat("has ", binary.size(), " bytes that no tensor's ",
                                         kBinarySize, " counts"));
}

}  // namespace

absl::StatusOr<Request> InferRequestFromJson(std::string_view body,
                                             std::optional<std::size_t> json_length,
                                             Index max_batch_rows) {
  const std::size_t length = json_length.value_or(body.size());
  if (length > body.size()) {
    return FieldError("Inference-Header-Content-Length",
                      absl::StrCat("is ", length, ", and the body has ", body.size(), " bytes"));
  }
  // The library takes a zero for the end, and does not look at what is behind it.
  if (const std::size_t zero = body.substr(0, length).find('\0'); zero != body.npos) {
    return FieldError("body", absl::StrCat("is no JSON from byte ", zero + 1, " on"));
  }
  Request request;
  Reader reader(request, max_batch_rows);
  const std::string_view json = body.substr(0, length);
  if (!Json::sax_parse(json.begin(), json.end(), &reader)) {
    if (!reader.status().ok()) return reader.status();
    return FieldError("body", "must be a JSON object");
  }
  absl::Status status = Distribute(body.substr(length), request);
  if (!status.ok()) return status;
  return request;
}

}  // namespace prequel
