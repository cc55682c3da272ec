// The JSON of the open inference protocol, and the contents behind it.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include "core/config/field_error.h"
#include "server/inference/json_answer.h"
#include "server/inference/json_request.h"

namespace prequel::json_test {
namespace {

using Request = inference::ModelInferRequest;

constexpr Index kMaxRows = 4;

absl::StatusOr<Request> Parse(const std::string& body,
                              std::optional<std::size_t> json_length = std::nullopt) {
  return InferRequestFromJson(body, json_length, kMaxRows);
}

void ExpectError(const std::string& body, const std::string& field, const std::string& said) {
  const absl::StatusOr<Request> request = Parse(body);
  ASSERT_FALSE(request.ok()) << body;
  EXPECT_EQ(FieldOf(request.status()), field) << body;
  EXPECT_NE(std::string(request.status().message()).find(said), std::string::npos)
      << request.status().message();
}

std::string Input(const std::string& rest) { return R"({"inputs":[{"name":"x",)" + rest + "}]}"; }

TEST(JsonRequestTest, ReadsAWholeRequest) {
  const absl::StatusOr<Request> request = Parse(
      R"({"id":"7","unknown":{"a":[1,{"b":null}]},"parameters":{"raw":true,"samples":9,"s":"t"},
          "inputs":[{"data":[[1,2.5],[null,-4e2]],"datatype":"FP32","shape":[2,2],"name":"x"},
                    {"name":"c","datatype":"BYTES","shape":[2],"data":["ä","b"]},
                    {"name":"b","datatype":"BOOL","shape":[2],"data":[true,false]}],
          "outputs":[{"name":"mean","parameters":{"binary_data":false}}]})");
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->id(), "7");
  EXPECT_TRUE(request->parameters().at("raw").bool_param());
  EXPECT_EQ(request->parameters().at("samples").int64_param(), 9);
  EXPECT_EQ(request->parameters().at("s").string_param(), "t");
  ASSERT_EQ(request->inputs_size(), 3);
  const auto& x = request->inputs(0);
  EXPECT_EQ(x.datatype(), "FP64");
  ASSERT_EQ(x.contents().fp64_contents_size(), 4);
  EXPECT_EQ(x.contents().fp64_contents(1), 2.5);
  EXPECT_TRUE(std::isnan(x.contents().fp64_contents(2)));
  EXPECT_EQ(x.contents().fp64_contents(3), -400);
  EXPECT_EQ(x.shape(1), 2);
  EXPECT_EQ(request->inputs(1).contents().bytes_contents(0), "ä");
  EXPECT_EQ(request->inputs(2).contents().fp64_contents(0), 1);
  EXPECT_EQ(request->outputs(0).name(), "mean");
}

TEST(JsonRequestTest, BinaryContentsFollow) {
  const std::string json =
      R"({"inputs":[
            {"name":"x","datatype":"FP32","shape":[1],"parameters":{"binary_data_size":4}},
            {"name":"y","datatype":"FP64","shape":[1],"data":[1]},
            {"name":"z","datatype":"INT8","shape":[2],"parameters":{"binary_data_size":2}}]})";
  const absl::StatusOr<Request> request = Parse(json + "abcdef", json.size());
  ASSERT_TRUE(request.ok()) << request.status();
  ASSERT_EQ(request->raw_input_contents_size(), 2);
  EXPECT_EQ(request->raw_input_contents(0), "abcd");
  EXPECT_EQ(request->raw_input_contents(1), "ef");
  EXPECT_EQ(request->inputs(0).datatype(), "FP32");
  EXPECT_FALSE(Parse(json + "abcde", json.size()).ok());
  EXPECT_FALSE(Parse(json + "abcdefg", json.size()).ok());
  EXPECT_FALSE(Parse(json, json.size() + 1).ok());
  EXPECT_FALSE(Parse(json + "abcdef").ok());
}

TEST(JsonRequestTest, RefusesWhatItCannotRead) {
  ExpectError("", "body", "no JSON");
  ExpectError("{", "body", "no JSON");
  ExpectError(Input(R"("datatype":"FP32","shape":[1],"data":[NaN])"), "body", "NaN is null");
  ExpectError("[]", "body", "must not be a list");
  ExpectError("3", "body", "must be objects");
  ExpectError(R"({"inputs":[1]})", "inputs", "must be objects");
  ExpectError(R"({"inputs":[[]]})", "inputs", "must not be a list");
  ExpectError(Input(R"("shape":[1.5])"), "inputs[0].shape", "tensor \"x\" must be whole numbers");
  ExpectError(Input(R"("shape":["a"])"), "inputs[0].shape", "whole numbers");
  ExpectError(Input(R"("shape":[1,1,1,1,1,1,1,1,1])"), "inputs[0].shape", "dimensions");
  ExpectError(Input(R"("data":[{}])"), "inputs[0].data", "must not be an object");
  ExpectError(Input(R"("datatype":"FP64","data":["a"])"), "inputs[0].data", "must be numbers");
  ExpectError(Input(R"("datatype":"BYTES","data":[1])"), "inputs[0].data", "must be texts");
  ExpectError(Input(R"("datatype":"INT32","data":[1.5])"), "inputs[0].data", "whole numbers");
  ExpectError(Input(R"("datatype":"BYTES","data":["","","","",""])"), "inputs[0].data",
              "more texts than the 4 rows");
}

TEST(JsonRequestTest, NumbersAreOfTheirDatatype) {
  const auto refused = [](const std::string& datatype, const std::string& value) {
    ExpectError(Input(R"("datatype":")" + datatype + R"(","shape":[1],"data":[)" + value + "]"),
                "inputs[0].data", "no " + datatype);
  };
  refused("INT8", "128");
  refused("UINT8", "-1");
  refused("UINT64", "-1");
  refused("INT64", "1e19");
  refused("BOOL", "2");
  refused("FP32", "1e39");
  ExpectError(Input(R"("datatype":"BOOL","data":[0.5])"), "inputs[0].data", "whole numbers");
  ExpectError(Input(R"("datatype":"FP64","data":[1e999])"), "body", "too large for FP64");
  for (const char* sound :
       {R"("datatype":"INT8","data":[-128,127,null])",
        R"("datatype":"UINT64","data":[18446744073709551615,0])",
        R"("datatype":"FP32","data":[3.4e38])", R"("datatype":"FP64","data":[-1.7e308])"}) {
    EXPECT_EQ(Parse(Input(sound))->inputs(0).datatype(), "FP64") << sound;
  }
  EXPECT_EQ(Parse(Input(R"("datatype":"INT65","data":[1])"))->inputs(0).datatype(), "INT65");
}

TEST(JsonRequestTest, ListsHaveTheShapeThatIsSaid) {
  const std::string two = R"("datatype":"FP64","shape":[2,2],"data":)";
  EXPECT_TRUE(Parse(Input(two + "[[1,2],[3,4]]")).ok());
  EXPECT_TRUE(Parse(Input(two + "[1,2,3,4]")).ok());
  EXPECT_TRUE(Parse(Input(R"("datatype":"FP64","shape":[2],"data":[[1],[2]])")).ok());
  ExpectError(Input(two + "[[1,2,3],[4]]"), "inputs[0].data", "lists of different lengths");
  ExpectError(Input(two + "[[1],[2],[3],[4]]"), "inputs[0].data", "lists of 1, and the shape");
  ExpectError(Input(two + "[1,[2,3],4]"), "inputs[0].data", "values beside lists");
  ExpectError(Input(R"("data":[[1,2,3,4]],"datatype":"FP64","shape":[2,2])"), "inputs[0].data",
              "lists of 4");
}

TEST(JsonRequestTest, AParameterMayHoldAnything) {
  const auto request = InferRequestFromJson(
      R"({"parameters":{"n":null,"f":0.5,"large":1e300,"list":[1,[{"f":2}]],"object":{"n":{"f":1}},
          "twice":1,"twice":null,"raw":true},
          "inputs":[{"name":"x","parameters":{"headers":{"a":["b"]}}}]})",
      std::nullopt, kMaxRows);
  ASSERT_TRUE(request.ok()) << request.status();
  EXPECT_EQ(request->parameters_size(), 7);
  for (const auto& [name, value] : request->parameters()) {
    EXPECT_EQ(value.parameter_choice_case() == inference::InferParameter::kBoolParam, name == "raw")
        << name;
    EXPECT_FALSE(value.has_int64_param()) << name;
  }
  EXPECT_EQ(request->inputs(0).name(), "x");
}

TEST(JsonRequestTest, NothingIsLeftOutInSilence) {
  ExpectError(Input(R"("datatype":"FP64","data":[1],"data":[2])"), "inputs[0].data", "second time");
  ExpectError(Input(R"("shape":[1],"shape":[2])"), "inputs[0].shape", "second time");
  ExpectError(R"({"inputs":[{"name":"x","parameters":{"binary_data_size":"8"}}]})",
              "inputs[0].parameters.binary_data_size", "must be an integer");
  ExpectError(std::string("{}\0rest", 7), "body", "no JSON from byte 3 on");
}

TEST(JsonRequestTest, DepthIsNoDanger) {
  const std::string deep(1 << 20, '[');
  EXPECT_FALSE(Parse(Input(R"("data":)" + deep)).ok());
  EXPECT_FALSE(Parse(R"({"unknown":)" + deep).ok());
}

// Two outputs: numbers and texts.
inference::ModelInferResponse Response() {
  inference::ModelInferResponse response;
  response.set_model_name("m");
  response.set_model_version("3");
  (*response.mutable_parameters())["revision"].set_int64_param(3);
  auto* mean = response.add_outputs();
  mean->set_name("mean");
  mean->set_datatype("FP64");
  mean->add_shape(3);
  const double values[] = {0.1, -2e300, NAN};
  response.add_raw_output_contents(reinterpret_cast<const char*>(values), sizeof(values));
  auto* labels = response.add_outputs();
  labels->set_name("labels");
  labels->set_datatype("BYTES");
  labels->add_shape(2);
  response.add_raw_output_contents(std::string("\x02\0\0\0a\"\x01\0\0\0b", 11));
  return response;
}

TEST(JsonAnswerTest, WritesNumbersAndTexts) {
  const JsonAnswer answer = JsonOf(Request(), Response());
  EXPECT_EQ(answer.json_length, 0U);
  EXPECT_EQ(answer.body,
            R"({"model_name":"m","model_version":"3","parameters":{"revision":3},"outputs":[)"
            R"({"name":"mean","datatype":"FP64","shape":[3],"data":[0.1,-2e+300,null]},)"
            R"({"name":"labels","datatype":"BYTES","shape":[2],"data":["a\"","b"]}]})");
}

TEST(JsonAnswerTest, BinaryContentsAreForThoseWhoWantThem) {
  Request request;
  (*request.mutable_parameters())["binary_data_output"].set_bool_param(true);
  const JsonAnswer all = JsonOf(request, Response());
  EXPECT_EQ(all.body.size(), all.json_length + 24 + 11);
  EXPECT_NE(all.body.find(R"("parameters":{"binary_data_size":24}})"), std::string::npos);
  request.add_outputs()->set_name("mean");
  (*request.add_outputs()->mutable_parameters())["binary_data"].set_bool_param(false);
  const JsonAnswer one = JsonOf(request, Response());
  EXPECT_EQ(one.body.size(), one.json_length + 24);
  EXPECT_NE(one.body.find(R"("data":["a\"","b"])"), std::string::npos);
}

}  // namespace
}  // namespace prequel::json_test
