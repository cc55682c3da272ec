// Configurations with which no model can be made: each names its field, and nothing is created.
#include "tests/server/server/server_fixture.h"

namespace prequel::config_refusal_test {
namespace {

struct BadConfig {
  std::string text;   // merged over LinearConfig()
  std::string field;  // what the violation's field starts with
};

void PrintTo(const BadConfig& config, std::ostream* out) { *out << config.text; }

// Option `key` of the alternative `name` of `part` has a value that it cannot have.
BadConfig BadOption(const std::string& part, const std::string& name, const std::string& key,
                    const std::string& value) {
  return {part + " { name: '" + name + "' options { fields { key: '" + key + "' value { " + value +
              " } } } }",
          "config." + part + ".options." + key};
}

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
    Features, ConfigRefusalTest,
    ::testing::Values(
        BadConfig{"features { name: 'x' }", "config.features[1].name"},
        BadConfig{"features { name: 'z' kind: 7 }", "config.features[1].kind"},
        BadConfig{"features { name: 'z' width: 4294967295 }", "config.features[1].width"},
        BadConfig{"features { name: 'z' hash_buckets: 3 }", "config.features[1].hash_buckets"},
        BadConfig{"features { name: 'z' kind: KIND_CATEGORICAL width: 2 }",
                  "config.features[1].width"},
        BadConfig{"features { name: 'z' kind: KIND_CATEGORICAL allow_missing: true }",
                  "config.features[1].allow_missing"},
        BadConfig{"features { name: 'z' kind: KIND_CATEGORICAL max_categories: 4294967295 }",
                  "config.features[1].max_categories"},
        BadConfig{"features { name: 'z' kind: KIND_CATEGORICAL hash_buckets: 4294967295 }",
                  "config.features[1].hash_buckets"}));

INSTANTIATE_TEST_SUITE_P(
    Targets, ConfigRefusalTest,
    ::testing::Values(
        BadConfig{"target { labels: 'a' }", "config.target.labels"},
        BadConfig{"target { num_classes: 3 }", "config.target.num_classes"},
        BadConfig{"target { width: 4294967295 }", "config.target.width"},
        BadConfig{"likelihood { name: 'bernoulli' } target { labels: ['a', 'b', 'c'] }",
                  "config.target.labels"},
        BadConfig{"likelihood { name: 'bernoulli' } target { labels: ['a', 'a'] }",
                  "config.target.labels[1]"},
        BadConfig{"likelihood { name: 'bernoulli' } target { num_classes: 3 }",
                  "config.target.num_classes"},
        BadConfig{"likelihood { name: 'categorical' }", "config.target.num_classes"},
        BadConfig{"likelihood { name: 'categorical' } target { num_classes: 3 width: 2 }",
                  "config.target.width"},
        BadConfig{"likelihood { name: 'categorical' } target { labels: ['a', ''] }",
                  "config.target.labels[1]"}));

INSTANTIATE_TEST_SUITE_P(
    Names, ConfigRefusalTest,
    ::testing::Values(BadConfig{"model { name: 'forest' }", "config.model.name"},
                      BadConfig{"likelihood { name: 'cauchy' }", "config.likelihood.name"},
                      BadConfig{"prior { name: 'horseshoe' }", "config.prior.name"},
                      BadConfig{"posterior { name: 'sparse' }", "config.posterior.name"},
                      BadConfig{"rule { name: 'newton' }", "config.rule.name"}));

INSTANTIATE_TEST_SUITE_P(
    Options, ConfigRefusalTest,
    ::testing::Values(
        BadOption("model", "linear", "bias", "number_value: 1"),
        BadOption("model", "linear", "nonsense", "null_value: 0"),
        BadOption("model", "mlp", "hidden", "list_value { }"),
        BadOption("model", "mlp", "hidden", "list_value { values { number_value: -4 } }"),
        BadOption("model", "mlp", "hidden", "list_value { values { string_value: '4' } }"),
        BadOption("model", "mlp", "activation", "string_value: 'sine'"),
        BadOption("likelihood", "gaussian", "noise", "number_value: 0"),
        BadOption("likelihood", "gaussian", "noise", "string_value: 'known'"),
        BadOption("likelihood", "gaussian", "noise_shape", "number_value: -1"),
        BadOption("likelihood", "gaussian", "noise_shape", "number_value: 0.5"),
        BadOption("likelihood", "gaussian", "noise_rate", "number_value: inf"),
        BadOption("prior", "isotropic", "precision", "number_value: 0"),
        BadOption("prior", "isotropic", "bias_precision", "number_value: nan"),
        BadOption("prior", "isotropic", "layer_scale", "string_value: 'fan_out'"),
        BadOption("prior", "isotropic", "x", "struct_value { }"),
        BadOption("prior", "imported", "weights", "list_value { }"),
        BadOption("prior", "imported", "layer1.weights", "number_value: 1"),
        BadOption("posterior", "full", "rank", "number_value: 2"),
        BadOption("posterior", "subnetwork", "size", "number_value: 0"),
        BadOption("rule", "rvga", "scheme", "string_value: 'backward'"),
        BadOption("rule", "rvga", "expectation", "string_value: 'exact'"),
        BadOption("rule", "rvga", "expectation", "string_value: 'closed_form'"),
        BadOption("rule", "rvga", "passes", "number_value: 0"),
        BadOption("rule", "rvga", "passes", "number_value: 2.5"),
        BadOption("rule", "rvga", "tolerance", "number_value: -1"),
        BadOption("rule", "rvga", "samples", "number_value: 3"),
        BadOption("rule", "rvga", "nonsense", "number_value: 1")));

INSTANTIATE_TEST_SUITE_P(
    Combinations, ConfigRefusalTest,
    ::testing::Values(
        BadConfig{"rule { name: 'conjugate' } model { name: 'mlp' }", "config.rule"},
        BadConfig{"rule { name: 'conjugate' } likelihood { name: 'poisson' }", "config.rule"},
        BadConfig{"rule { name: 'conjugate' } posterior { name: 'diagonal' }", "config.rule"},
        BadConfig{"features { name: 'z' width: 9000 } posterior { name: 'full' }", "config.model"},
        BadConfig{"prior { name: 'imported' arrays { key: 'weights' value { shape: 2 } } }",
                  "config.prior.arrays.weights.dtype"},
        BadConfig{"prior { name: 'imported' arrays { key: 'weights' value { shape: 1 values: 1 } }"
                  "  options { fields { key: 'weights' value { list_value { } } } } }",
                  "config.prior.arrays.weights"},
        BadConfig{"model { name: 'mlp' options { fields { key: 'hidden' value {"
                  "  list_value { values { number_value: 1e9 } } } } } }",
                  "config.model.options.hidden"}));

INSTANTIATE_TEST_SUITE_P(
    Rest, ConfigRefusalTest,
    ::testing::Values(
        BadConfig{"encoding { inputs: 9 }", "config.encoding.inputs"},
        BadConfig{"encoding { targets: 9 }", "config.encoding.targets"},
        BadConfig{"encoding { targets: STANDARDIZE_RUNNING } likelihood { name: 'poisson' }",
                  "config.encoding.targets"},
        BadConfig{"encoding { clip: -1 }", "config.encoding.clip"},
        BadConfig{"encoding { clip: nan }", "config.encoding.clip"},
        BadConfig{"evaluation { window: -1 }", "config.evaluation.window"},
        BadConfig{"evaluation { window: nan }", "config.evaluation.window"}));

using FeaturelessTest = ServerTest;
TEST_F(FeaturelessTest, IsNoModel) {
  StartServer();
  v1::ModelConfig config = LinearConfig();
  config.clear_features();
  EXPECT_THAT(PartsOf(CreateModel("m", config)).fields, ::testing::ElementsAre("config.features"));
  EXPECT_TRUE(CreateModel("m", LinearConfig()).ok());
}

}  // namespace
}  // namespace prequel::config_refusal_test
