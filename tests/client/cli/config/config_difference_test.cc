#include "client/cli/config/config_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/output/proto_json.h"

namespace prequel::cli::config_difference_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

v1::ModelConfig Base() {
  v1::ModelConfig base;
  const absl::Status status =
      FromJson(R"({"features": [{"name": "x"}], "seed": "7", "target": {"name": "y"},
                   "rule": {"name": "rvga", "options": {"passes": 5}},
                   "dynamics": {"name": "adaptive", "options": {"cap": 3}}})",
               &base);
  EXPECT_TRUE(status.ok()) << status;
  return base;
}

TEST(ConfigDifferenceTest, APartIsReplacedWithItsOptionsAndTheRestStays) {
  const auto config = ReplacedConfig(Base(), R"({"dynamics": {"name": "static"}})");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->dynamics().name(), "static");
  EXPECT_TRUE(config->dynamics().options().fields().empty());
  EXPECT_EQ(config->rule().options().fields().at("passes").number_value(), 5);
  EXPECT_EQ(config->features_size(), 1);
  EXPECT_EQ(config->seed(), 7);
}

TEST(ConfigDifferenceTest, NothingIsGivenAsNothing) {
  const auto config = ReplacedConfig(Base(), R"({"seed": 0, "rule": {}})");
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->seed(), 0);
  EXPECT_EQ(config->rule().name(), "");
  EXPECT_EQ(config->dynamics().name(), "adaptive");
}

TEST(ConfigDifferenceTest, WhatIsNoConfigurationIsRefused) {
  const auto misspelt = ReplacedConfig(Base(), R"({"dynamic": {"name": "static"}})");
  EXPECT_THAT(misspelt.status().message(), HasSubstr("dynamic"));
  EXPECT_FALSE(ReplacedConfig(Base(), "[1]").ok());
}

v1::ModelConfig Parsed(const std::string& json) {
  v1::ModelConfig config;
  EXPECT_TRUE(FromJson(json, &config).ok());
  return config;
}

TEST(ConfigDifferenceTest, NamesTheFieldsThatAreNotAsAskedFor) {
  EXPECT_THAT(DifferingFields(Base(), {}), IsEmpty());
  EXPECT_THAT(DifferingFields(Base(), Base()), IsEmpty());
  EXPECT_THAT(DifferingFields(Base(), Parsed(R"({"rule": {"name": "rvga"}})")), IsEmpty());
  EXPECT_THAT(DifferingFields(Base(), Parsed(R"({"rule": {"options": {"passes": 5}}})")),
              IsEmpty());
  EXPECT_THAT(DifferingFields(Base(), Parsed(R"({"seed": 8, "target": {"name": "z"},
                  "rule": {"options": {"passes": 6}}, "features": [{"name": "x"}, {"name": "w"}],
                  "robustness": {"name": "imq"}, "dynamics": {"name": "adaptive"}})")),
              ElementsAre("features", "robustness", "rule", "seed", "target"));
}

}  // namespace
}  // namespace prequel::cli::config_difference_test
