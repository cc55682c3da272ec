// Tensors of the open inference protocol as minibatches.
#include "server/inference/infer_batch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/config/field_error.h"

namespace prequel::infer_batch_test {
namespace {

using Request = inference::ModelInferRequest;
using Shape = std::vector<std::int64_t>;

constexpr Index kMaxRows = 100;

// Numbers a and wide (of width 2), then text.
std::vector<FeatureConfig> Features() {
  FeatureConfig a, wide, color;
  a.name = "a";
  wide.name = "wide";
  wide.width = 2;
  color.name = "color";
  color.kind = FeatureConfig::Kind::kCategorical;
  return {a, color, wide};
}

Request::InferInputTensor* Add(Request& request, const std::string& name,
                               const std::string& datatype, const Shape& shape) {
  auto* tensor = request.add_inputs();
  tensor->set_name(name);
  tensor->set_datatype(datatype);
  for (const std::int64_t extent : shape) tensor->add_shape(extent);
  return tensor;
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

std::string Texts(const std::vector<std::string>& texts) {
  std::string bytes;
  for (const std::string& text : texts) {
    bytes += Bytes<std::uint32_t>({static_cast<std::uint32_t>(text.size())}) + text;
  }
  return bytes;
}

// Two rows, a tensor per feature, in another order than the model's.
Request Typed() {
  Request request;
  for (const double x : {1.0, 2.0, 3.0, 4.0}) {
    auto* wide = request.inputs_size() == 0 ? Add(request, "wide", "FP64", {2, 2})
                                            : request.mutable_inputs(0);
    wide->mutable_contents()->add_fp64_contents(x);
  }
  auto* color = Add(request, "color", "BYTES", {2})->mutable_contents();
  color->add_bytes_contents("red");
  color->add_bytes_contents("");
  auto* a = Add(request, "a", "INT32", {2, 1})->mutable_contents();
  a->add_int_contents(-5);
  a->add_int_contents(7);
  return request;
}

absl::StatusOr<Batch> Convert(const Request& request) {
  return BatchFromInfer(request, Features(), kMaxRows);
}

void ExpectError(const Request& request, const std::string& field, const std::string& said) {
  const absl::StatusOr<Batch> batch = Convert(request);
  ASSERT_FALSE(batch.ok()) << said;
  EXPECT_EQ(FieldOf(batch.status()), field);
  EXPECT_NE(std::string(batch.status().message()).find(said), std::string::npos)
      << batch.status().message();
}

TEST(InferBatchTest, ATensorForEachFeature) {
  const absl::StatusOr<Batch> batch = Convert(Typed());
  ASSERT_TRUE(batch.ok()) << batch.status();
  Matrix expected(3, 2);
  expected << -5, 7, 1, 3, 2, 4;
  EXPECT_EQ(batch->inputs, expected);
  EXPECT_EQ(batch->text, (std::vector<std::vector<std::string>>{{"red", ""}}));
}

TEST(InferBatchTest, OneTensorForAllColumns) {
  Request request;
  Add(request, "color", "BYTES", {2, 1});
  Add(request, "input", "FP32", {2, 3});
  request.add_raw_input_contents(Texts({"red", "blue"}));
  request.add_raw_input_contents(Bytes<float>({1, 2, 3, 4, std::nanf(""), 6}));
  const absl::StatusOr<Batch> batch = Convert(request);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->inputs.col(0), Vector(Eigen::Vector3d(1, 2, 3)));
  EXPECT_TRUE(std::isnan(batch->inputs(1, 1)));
  EXPECT_EQ(batch->text[0][1], "blue");
  // Where a feature is called so, it is that feature.
  std::vector<FeatureConfig> features(1);
  features[0].name = "input";
  Request same;
  Add(same, "input", "FP64", {2});
  same.add_raw_input_contents(Bytes<double>({1, 2}));
  EXPECT_TRUE(BatchFromInfer(same, features, kMaxRows).ok());
}

TEST(InferBatchTest, TimesMayBeTold) {
  Request request = Typed();
  EXPECT_EQ(Convert(request)->times.size(), 0);
  auto* times = Add(request, "times", "INT64", {2});
  times->mutable_contents()->add_int64_contents(7);
  times->mutable_contents()->add_int64_contents(1'700'000'000);
  const absl::StatusOr<Batch> batch = Convert(request);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->times.size(), 2);
  EXPECT_EQ(batch->times, Vector(Eigen::Vector2d(7, 1.7e9)));
  EXPECT_EQ(batch->inputs, Convert(Typed())->inputs);
  // They may be raw, and are the same for one tensor of all columns.
  Request raw;
  Add(raw, "times", "FP64", {2, 1});
  Add(raw, "input", "FP64", {2, 1});
  raw.add_raw_input_contents(Bytes<double>({0.5, 1.5}));
  raw.add_raw_input_contents(Bytes<double>({3, 4}));
  std::vector<FeatureConfig> features(1);
  features[0].name = "a";
  const absl::StatusOr<Batch> columns = BatchFromInfer(raw, features, kMaxRows);
  ASSERT_TRUE(columns.ok()) << columns.status();
  ASSERT_EQ(columns->times.size(), 2);
  EXPECT_EQ(columns->times, Vector(Eigen::Vector2d(0.5, 1.5)));
  EXPECT_EQ(columns->inputs(0, 1), 4);
  // Where a feature is called so, it is that feature.
  features[0].name = "times";
  raw.mutable_inputs()->RemoveLast();
  raw.mutable_raw_input_contents()->RemoveLast();
  const absl::StatusOr<Batch> feature = BatchFromInfer(raw, features, kMaxRows);
  ASSERT_TRUE(feature.ok()) << feature.status();
  EXPECT_EQ(feature->times.size(), 0);
  EXPECT_EQ(feature->inputs(0, 1), 1.5);
}

TEST(InferBatchTest, EachRowHasOneTime) {
  const auto with_times = [](const std::string& datatype, const Shape& shape) {
    Request request = Typed();
    auto* times = Add(request, "times", datatype, shape)->mutable_contents();
    times->add_fp64_contents(1);
    return request;
  };
  ExpectError(with_times("FP64", {1}), "inputs[3].shape", "has 1 rows, and others have 2");
  ExpectError(with_times("FP64", {2}), "inputs[3].contents", "needs 2 elements");
  ExpectError(with_times("FP64", {2, 2}), "inputs[3].shape", "must be [rows, 1] or [rows]");
  ExpectError(with_times("BYTES", {2}), "inputs[3].contents", "needs 2 texts");
  Request twice = with_times("FP64", {1});
  *twice.add_inputs() = twice.inputs(3);
  ExpectError(twice, "inputs[4].name", "\"times\" comes a second time");
}

// A model of a date with its time, and of a time of day.
std::vector<FeatureConfig> MomentFeatures() {
  std::vector<FeatureConfig> features(2);
  features[0].name = "when:datetime";
  features[0].width = 7;
  features[1].name = "opens:time";
  features[1].width = 2;
  return features;
}

Request Dated(const std::string& name, const std::vector<std::string>& dates) {
  Request request;
  Add(request, name, "BYTES", {static_cast<std::int64_t>(dates.size())});
  Add(request, "opens:time", "FP64", {static_cast<std::int64_t>(dates.size()), 2});
  request.add_raw_input_contents(Texts(dates));
  request.add_raw_input_contents(Bytes(std::vector<double>(2 * dates.size(), 0.5)));
  return request;
}

TEST(InferBatchTest, ADateMayBeText) {
  for (const char* name : {"when:datetime", "when"}) {
    const Request request = Dated(name, {"1970-01-02T06:00:00Z", "", "2024-07-01"});
    const absl::StatusOr<Batch> batch = BatchFromInfer(request, MomentFeatures(), kMaxRows);
    ASSERT_TRUE(batch.ok()) << batch.status();
    ASSERT_EQ(batch->inputs.rows(), 9);
    EXPECT_DOUBLE_EQ(batch->inputs(0, 0), 1.25);
    EXPECT_NEAR(batch->inputs(5, 0), 1, 1e-12) << "a quarter of the day is over";
    EXPECT_TRUE(batch->inputs.col(1).head(7).array().isNaN().all()) << "no value";
    EXPECT_EQ(batch->inputs(0, 2), 19905);
    EXPECT_EQ(batch->inputs(7, 1), 0.5) << "the numbers beside it";
  }
  Request time = Dated("when", {"2024-07-01"});
  time.mutable_inputs(1)->set_name("opens");
  time.mutable_inputs(1)->set_datatype("BYTES");
  time.mutable_inputs(1)->mutable_shape()->RemoveLast();
  time.set_raw_input_contents(1, Texts({"06:00"}));
  const absl::StatusOr<Batch> batch = BatchFromInfer(time, MomentFeatures(), kMaxRows);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_NEAR(batch->inputs(7, 0), 1, 1e-12);
}

TEST(InferBatchTest, ADateThatCannotBeReadIsNamed) {
  const auto refusal = [](const Request& request) {
    return BatchFromInfer(request, MomentFeatures(), kMaxRows).status();
  };
  const absl::Status unread = refusal(Dated("when", {"2024-07-01", "1.7.2024"}));
  EXPECT_EQ(unread.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(unread), "inputs[0].contents");
  EXPECT_NE(unread.message().find("row 1: \"1.7.2024\" is not written as the model learned it"),
            std::string::npos)
      << unread;
  EXPECT_EQ(FieldOf(refusal(Dated("when", {"06:00"}))), "inputs[0].contents");
  Request twice = Dated("when", {"2024-07-01"});
  *twice.add_inputs() = twice.inputs(0);
  twice.mutable_inputs(2)->set_name("when:datetime");
  twice.add_raw_input_contents(twice.raw_input_contents(0));
  EXPECT_EQ(FieldOf(refusal(twice)), "inputs[2].name");
  Request rows = Dated("when", {"2024-07-01", "2024-07-02"});
  rows.mutable_inputs(1)->set_shape(0, 1);
  rows.set_raw_input_contents(1, Bytes<double>({1, 2}));
  EXPECT_EQ(FieldOf(refusal(rows)), "inputs[1].shape");
}

TEST(InferBatchTest, TimesMayBeText) {
  Request request = Typed();
  auto* times = Add(request, "times", "BYTES", {2})->mutable_contents();
  times->add_bytes_contents("1970-01-02 00:00:07");
  times->add_bytes_contents("12.5");
  const absl::StatusOr<Batch> batch = Convert(request);
  ASSERT_TRUE(batch.ok()) << batch.status();
  ASSERT_EQ(batch->times.size(), 2);
  EXPECT_EQ(batch->times, Vector(Eigen::Vector2d(86407, 12.5)));
  times->set_bytes_contents(1, "soon");
  ExpectError(request, "inputs[3].contents", "row 1: \"soon\" is not a number or a date");
}

template <class T>
double ReadRaw(const char* datatype, T value) {
  std::vector<FeatureConfig> features(1);
  features[0].name = "x";
  Request request;
  Add(request, "x", datatype, {2});
  request.add_raw_input_contents(Bytes<T>({T(0), value}));
  const absl::StatusOr<Batch> batch = BatchFromInfer(request, features, kMaxRows);
  EXPECT_TRUE(batch.ok()) << batch.status();
  return batch.ok() ? batch->inputs(0, 1) : 0;
}

TEST(InferBatchTest, EveryDatatypeOfNumbers) {
  EXPECT_EQ(ReadRaw<double>("FP64", -1.5), -1.5);
  EXPECT_EQ(ReadRaw<float>("FP32", 0.25F), 0.25);
  EXPECT_EQ(ReadRaw<std::int64_t>("INT64", -(std::int64_t{1} << 40)), -0x1p40);
  EXPECT_EQ(ReadRaw<std::int32_t>("INT32", -70000), -70000);
  EXPECT_EQ(ReadRaw<std::int16_t>("INT16", -300), -300);
  EXPECT_EQ(ReadRaw<std::int8_t>("INT8", -3), -3);
  EXPECT_EQ(ReadRaw<std::uint64_t>("UINT64", std::uint64_t{1} << 63), 0x1p63);
  EXPECT_EQ(ReadRaw<std::uint32_t>("UINT32", 4000000000U), 4e9);
  EXPECT_EQ(ReadRaw<std::uint16_t>("UINT16", 65535), 65535);
  EXPECT_EQ(ReadRaw<std::uint8_t>("UINT8", 255), 255);
  EXPECT_EQ(ReadRaw<std::uint8_t>("BOOL", 1), 1);
}

TEST(InferBatchTest, RawContentsGoToThoseWithoutTypedOnes) {
  Request request = Typed();
  request.mutable_inputs(2)->clear_contents();
  request.add_raw_input_contents(Bytes<std::int32_t>({8, 9}));
  const absl::StatusOr<Batch> batch = Convert(request);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->inputs(0, 1), 9);
  request.add_raw_input_contents("more");
  ExpectError(request, "raw_input_contents", "2 for 1 tensors");
  request.clear_raw_input_contents();
  ExpectError(request, "inputs[2].contents", "tensor \"a\" are missing");
}

TEST(InferBatchTest, AShapeIsWhatTheContentsFill) {
  const auto with_shape = [](const Shape& shape) {
    Request request = Typed();
    request.mutable_inputs(0)->clear_shape();
    for (const std::int64_t extent : shape) request.mutable_inputs(0)->add_shape(extent);
    return request;
  };
  ExpectError(with_shape({2, 3}), "inputs[0].shape", "tensor \"wide\" must be [rows, 2]");
  ExpectError(with_shape({4}), "inputs[0].shape", "is [4]");
  ExpectError(with_shape({0, 2}), "inputs[0].shape", "rows must be in [1, 100]");
  ExpectError(with_shape({-1, 2}), "inputs[0].shape", "rows must be in");
  ExpectError(with_shape({std::int64_t{1} << 62, 2}), "inputs[0].shape", "rows must be in");
  ExpectError(with_shape({3, 2}), "inputs[0].contents", "needs 6 elements");
  Request longer = Typed();
  longer.mutable_inputs(1)->mutable_shape()->Set(0, 1);
  longer.mutable_inputs(1)->mutable_contents()->mutable_bytes_contents()->RemoveLast();
  ExpectError(longer, "inputs[1].shape", "has 1 rows, and others have 2");
}

TEST(InferBatchTest, NamesAndDatatypes) {
  Request request = Typed();
  request.mutable_inputs(2)->set_name("b");
  ExpectError(request, "inputs[2].name", "\"b\" is of no feature");
  request.mutable_inputs()->RemoveLast();
  ExpectError(request, "inputs", "has no tensor \"a\"");
  ExpectError(Request(), "inputs", "has no tensor \"a\"");
  request = Typed();
  *request.add_inputs() = request.inputs(2);
  ExpectError(request, "inputs[3].name", "\"a\" comes a second time");
  request.mutable_inputs(3)->set_name("input");
  ExpectError(request, "inputs[2].name", "is part of \"input\"");
  request = Typed();
  request.mutable_inputs(2)->set_datatype("FP16");
  ExpectError(request, "inputs[2].datatype", "\"FP16\"; numbers are one of FP64, FP32");
  request.mutable_inputs(2)->set_datatype("FP32");
  ExpectError(request, "inputs[2].contents", "needs 2 elements in the field of that datatype");
  request = Typed();
  request.mutable_inputs(1)->set_datatype("FP64");
  ExpectError(request, "inputs[1].datatype", "which is BYTES");
}

TEST(InferBatchTest, RawTextsAreWhole) {
  Request request = Typed();
  request.mutable_inputs(1)->clear_contents();
  const auto with = [&request](const std::string& raw) {
    request.clear_raw_input_contents();
    request.add_raw_input_contents(raw);
    return request;
  };
  EXPECT_TRUE(Convert(with(Texts({"red", "blue"}))).ok());
  ExpectError(with(Texts({"red"})), "inputs[1].contents", "end before the last text");
  ExpectError(with(Texts({"red", "blue"}).substr(0, 13)), "inputs[1].contents", "within a text");
  ExpectError(with(Texts({"red", "blue", "x"})), "inputs[1].contents", "go on after");
  ExpectError(with(Texts({"red", "\xff"})), "inputs[1].contents", "row 1 is not UTF-8");
}

}  // namespace
}  // namespace prequel::infer_batch_test
