#include "client/cli/output/json_writer.h"

#include <gtest/gtest.h>

#include <limits>

#include "client/cli/output/proto_json.h"
#include "google/protobuf/struct.pb.h"
#include "prequel/v1/config.pb.h"

namespace prequel::cli::json_writer_test {
namespace {

TEST(JsonWriterTest, NestsAndSeparates) {
  JsonWriter json;
  json.BeginObject().Key("a").Integer(1).Key("b").BeginArray().Bool(true).Number(0.5).EndArray();
  json.Key("c").BeginObject().EndObject().Key("d").Number(2).EndObject();
  EXPECT_EQ(json.text(), R"({"a": 1, "b": [true, 0.5], "c": {}, "d": 2})");
}

TEST(JsonWriterTest, WhatItWritesProtobufReads) {
  JsonWriter json;
  json.BeginObject().Key("k\"\\\n\x01").String("tab\t, é, /").EndObject();
  google::protobuf::Struct parsed;
  ASSERT_TRUE(FromJson(json.text(), &parsed).ok()) << json.text();
  EXPECT_EQ(parsed.fields().at("k\"\\\n\x01").string_value(), "tab\t, é, /");
}

TEST(JsonWriterTest, NoNumberIsNull) {
  JsonWriter json;
  json.BeginArray().Number(std::numeric_limits<double>::quiet_NaN()).EndArray();
  EXPECT_EQ(json.text(), "[null]");
}

TEST(ProtoJsonTest, RoundTripsAndNamesWhatIsWrong) {
  v1::ModelConfig config;
  config.mutable_model()->set_name("mlp");
  config.set_seed(7);
  v1::ModelConfig read;
  ASSERT_TRUE(FromJson(ToJson(config), &read).ok());
  EXPECT_EQ(read.model().name(), "mlp");
  EXPECT_EQ(read.seed(), 7);
  const absl::Status status = FromJson(R"({"modl": {}})", &read);
  EXPECT_NE(std::string(status.message()).find("modl"), std::string::npos) << status;
}

}  // namespace
}  // namespace prequel::cli::json_writer_test
