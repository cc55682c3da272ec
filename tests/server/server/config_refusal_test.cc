// Configurations with which no model can be made: each names its field, and nothing is created.
#include "tests/server/server/server_fixture.h"

namespace prequel {
namespace {

struct BadConfig {
  const char* text;   // merged over a working configuration
  const char* field;  // what the violation's field starts with
};

void PrintTo(const BadConfig& config, std::ostream* out) { *out << config.text; }

class ConfigRefusalTest : public ServerTest, public ::testing::WithParamInterface<BadConfig> {};

TEST_P(ConfigRefusalTest, NamesTheField) {
  StartServer();
  v1::ModelConfig config = LinearConfig();
  config.MergeFrom(ParseConfig(GetParam().text));
  const ErrorParts parts = PartsOf(CreateModel("m", config));
  EXPECT_EQ(parts.code, grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(parts.reason, "INVALID_FIELD");
  EXPECT_THAT(parts.fields, ::testing::ElementsAre(::testing::StartsWith(GetParam().field)));
  EXPECT_EQ(PartsOf(Learn(LinearBatch(1))).reason, "MODEL_NOT_FOUND");
  EXPECT_TRUE(CreateModel("m", LinearConfig()).ok());
}

INSTANTIATE_TEST_SUITE_P(
    Fields, ConfigRefusalTest,
    ::testing::Values(
        BadConfig{"features { name: 'x' }", "config.features"},
        BadConfig{"features { name: 'z' width: 4294967295 }", "config.features"},
        BadConfig{"features { name: 'z' hash_buckets: 3 }", "config.features[1].hash_buckets"},
        BadConfig{"features { name: 'z' kind: CATEGORICAL width: 2 }", "config.features[1].width"},
        BadConfig{"target { labels: 'a' }", "config.target.labels"},
        BadConfig{"target { num_classes: 3 }", "config.target.num_classes"},
        BadConfig{"target { width: 4294967295 }", "config.target.width"},
        BadConfig{"model { name: 'forest' }", "config.model"},
        BadConfig{"likelihood { name: 'cauchy' }", "config.likelihood"},
        BadConfig{"prior { name: 'horseshoe' }", "config.prior"},
        BadConfig{"posterior { name: 'sparse' }", "config.posterior"},
        BadConfig{"rule { name: 'sgd' }", "config.rule"},
        BadConfig{"rule { options { fields { key: 'nonsense' value { number_value: 1 } } } }",
                  "config.rule.options.nonsense"},
        BadConfig{"model { name: 'mlp' options { fields { key: 'hidden' value {"
                  "  list_value { values { number_value: -4 } } } } } }",
                  "config.model.options.hidden"},
        BadConfig{"model { name: 'mlp' options { fields { key: 'hidden' value {"
                  "  list_value { values { number_value: 1e9 } } } } } }",
                  "config.model"},
        BadConfig{"prior { options { fields { key: 'x' value { struct_value { } } } } }",
                  "config.prior.options.x"},
        BadConfig{"encoding { clip: -1 }", "config.encoding.clip"},
        BadConfig{"evaluation { window: -1 }", "config.evaluation.window"},
        BadConfig{"evaluation { window: nan }", "config.evaluation.window"},
        BadConfig{"encoding { targets: RUNNING } likelihood { name: 'poisson' }",
                  "config.encoding.targets"}));

}  // namespace
}  // namespace prequel
