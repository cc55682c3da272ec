#include "client/cli/output/proto_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "prequel/v1/model_service.pb.h"

namespace prequel::cli::proto_json_test {
namespace {

TEST(ProtoJsonTest, OptionsComeSortedByName) {
  v1::Component component;
  component.set_name("mlp");
  // Enough of them that no hash table has them in order by chance.
  std::vector<std::string> names;
  for (char letter = 'z'; letter >= 'a'; --letter) {
    names.insert(names.begin(), std::string(1, letter));
    (*component.mutable_options()->mutable_fields())[names.front()].set_number_value(letter);
  }
  const std::string json = ToJson(component);
  std::size_t at = 0;
  for (const std::string& name : names) {
    const std::size_t next = json.find("\"" + name + "\": ");
    ASSERT_NE(next, json.npos) << json;
    EXPECT_GT(next, at) << name << " comes too early in " << json;
    at = next;
  }
}

TEST(ProtoJsonTest, WhatIsPrintedReadsBackTheSame) {
  v1::Model model;
  model.set_name("models/m");
  model.set_revision(std::int64_t{1} << 60);
  model.mutable_create_time()->set_seconds(1'700'000'000);
  v1::Component& component = *model.mutable_config()->mutable_model();
  auto& options = *component.mutable_options()->mutable_fields();
  options["hidden"].mutable_list_value()->add_values()->set_number_value(32);
  options["activation"].set_string_value("tanh \"quoted\"\n");
  options["bias"].set_bool_value(false);
  v1::Model read;
  ASSERT_TRUE(FromJson(ToJson(model), &read).ok());
  EXPECT_EQ(ToJson(read), ToJson(model));
  EXPECT_EQ(read.revision(), model.revision());
  EXPECT_EQ(read.config().model().options().fields().at("activation").string_value(),
            "tanh \"quoted\"\n");
  EXPECT_FALSE(read.config().model().options().fields().at("bias").bool_value());
}

TEST(ProtoJsonTest, FieldsKeepTheirNamesAndZerosAreShown) {
  const std::string json = ToJson(v1::Model());
  EXPECT_NE(json.find("\"num_parameters\": \"0\""), json.npos) << json;
  EXPECT_NE(json.find("\"serving\": false"), json.npos) << json;
}

TEST(ProtoJsonTest, WhatIsNotTheMessageIsNamed) {
  v1::ModelConfig config;
  const absl::Status status = FromJson("{\"modle\": 1}", &config);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_NE(status.message().find("ModelConfig"), status.message().npos) << status;
  EXPECT_NE(status.message().find("modle"), status.message().npos) << status;
}

}  // namespace
}  // namespace prequel::cli::proto_json_test
