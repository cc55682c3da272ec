#include "server/wire/config.h"

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"

namespace prequel::wire::config_test {
namespace {

v1::ModelConfig Parse(const std::string& text) {
  v1::ModelConfig proto;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &proto)) << text;
  return proto;
}

constexpr char kOption[] = "rule { options { fields { key: 'x' value { %s } } } }";

std::string WithOption(const std::string& value) {
  std::string text(kOption);
  return text.replace(text.find("%s"), 2, value);
}

std::string FieldRefused(const std::string& text) {
  const absl::StatusOr<LearnerConfig> config = ConfigFromProto(Parse(text));
  return config.ok() ? "accepted" : FieldOf(config.status()).value_or("no field");
}

TEST(ConfigTest, AbsentFieldsTakeTheirDefaults) {
  const absl::StatusOr<LearnerConfig> config = ConfigFromProto(Parse("features { name: 'x' }"));
  ASSERT_TRUE(config.ok()) << config.status();
  LearnerConfig expected;
  expected.features = {{.name = "x"}};
  EXPECT_EQ(*config, expected);
}

TEST(ConfigTest, NamesOfNewModelsAreBoundedAndThoseOfOldOnesAreRead) {
  v1::ModelConfig proto = Parse("features { name: 'x' } features { name: 'x' }");
  proto.mutable_features(1)->set_name(std::string(1024, 'x'));
  EXPECT_TRUE(NewConfigFromProto(proto).ok());
  proto.mutable_features(1)->mutable_name()->push_back('x');
  EXPECT_EQ(FieldOf(NewConfigFromProto(proto).status()), "config.features[1].name");
  EXPECT_TRUE(ConfigFromProto(proto).ok());
  proto.mutable_features(1)->clear_name();
  EXPECT_EQ(FieldOf(NewConfigFromProto(proto).status()), "config.features[1].name");
  EXPECT_TRUE(ConfigFromProto(proto).ok());
  proto.mutable_features(1)->set_name("z");
  EXPECT_TRUE(NewConfigFromProto(proto).ok());
  proto.mutable_target()->set_name(std::string(1025, 'y'));
  EXPECT_EQ(FieldOf(NewConfigFromProto(proto).status()), "config.target.name");
}

TEST(ConfigTest, OptionsAreBooleansNumbersStringsAndListsOfNumbers) {
  const auto option = [](const std::string& value) {
    const absl::StatusOr<LearnerConfig> config = ConfigFromProto(Parse(WithOption(value)));
    EXPECT_TRUE(config.ok()) << config.status();
    return config->rule.options.at("x");
  };
  EXPECT_EQ(option("bool_value: true"), OptionValue(true));
  EXPECT_EQ(option("number_value: 0.1"), OptionValue(0.1));
  EXPECT_EQ(option("string_value: 'a'"), OptionValue(std::string("a")));
  EXPECT_EQ(option("list_value { values { number_value: 8 } values { number_value: 4 } }"),
            OptionValue(std::vector<double>{8, 4}));
  EXPECT_EQ(option("list_value { }"), OptionValue(std::vector<double>{}));
}

TEST(ConfigTest, OtherOptionsNameTheirField) {
  for (const char* value : {"", "null_value: NULL_VALUE", "struct_value { }",
                            "list_value { values { string_value: 'a' } }",
                            "list_value { values { list_value { } } }"}) {
    EXPECT_EQ(FieldRefused(WithOption(value)), "config.rule.options.x") << value;
  }
}

TEST(ConfigTest, UnknownEnumerationsNameTheirField) {
  v1::ModelConfig proto = Parse("features { } features { }");
  proto.mutable_features(1)->set_kind(static_cast<v1::Feature::Kind>(9));
  EXPECT_EQ(FieldOf(ConfigFromProto(proto).status()), "config.features[1].kind");
  proto = Parse("");
  proto.mutable_encoding()->set_inputs(static_cast<v1::Encoding::Standardize>(9));
  EXPECT_EQ(FieldOf(ConfigFromProto(proto).status()), "config.encoding.inputs");
  proto.mutable_encoding()->set_inputs(v1::Encoding::STANDARDIZE_NONE);
  proto.mutable_encoding()->set_targets(static_cast<v1::Encoding::Standardize>(-1));
  EXPECT_EQ(FieldOf(ConfigFromProto(proto).status()), "config.encoding.targets");
}

constexpr char kFull[] = R"(
  features { name: 'x' width: 3 allow_missing: true }
  features { name: 'c' kind: KIND_CATEGORICAL max_categories: 5 }
  features { name: 'h' kind: KIND_CATEGORICAL hash_buckets: 7 }
  target { name: 'y' labels: 'no' labels: 'yes' allow_missing: true }
  model { name: 'mlp' options { fields { key: 'hidden' value { list_value {
    values { number_value: 8 } } } } } }
  likelihood { name: 'bernoulli' }
  posterior { name: 'diagonal' }
  encoding { inputs: STANDARDIZE_RUNNING targets: STANDARDIZE_NONE clip: 3.5 window: 500 }
  evaluation { window: 50 }
  seed: 18446744073709551615)";

TEST(ConfigTest, GoesThereAndBackExactly) {
  const absl::StatusOr<LearnerConfig> config = ConfigFromProto(Parse(kFull));
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->features[2].hash_buckets, 7);
  EXPECT_EQ(config->input_clip, 3.5);
  EXPECT_EQ(config->standardize_window, 500);
  EXPECT_EQ(config->seed, ~std::uint64_t{0});
  const absl::StatusOr<LearnerConfig> back = ConfigFromBytes(ConfigToBytes(*config));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_EQ(*back, *config);
  EXPECT_EQ(ConfigToBytes(*back), ConfigToBytes(*config));
  EXPECT_TRUE(absl::IsDataLoss(ConfigFromBytes("\x0a\xff").status()));
}

v1::Tensor Packed(const std::vector<std::int64_t>& shape, const std::vector<double>& values) {
  v1::Tensor tensor;
  tensor.set_dtype(v1::Tensor::DTYPE_FLOAT64);
  tensor.mutable_shape()->Assign(shape.begin(), shape.end());
  tensor.set_data(values.data(), values.size() * sizeof(double));
  return tensor;
}

TEST(ConfigTest, ArraysAreOptionsThatArePacked) {
  v1::ModelConfig proto = Parse(
      "prior { name: 'imported' arrays { key: 'typed' value {"
      " shape: 2 values: 1 values: 2 } } }");
  auto& arrays = *proto.mutable_prior()->mutable_arrays();
  arrays["table"] = Packed({2, 3}, {1, 2, 3, 4, 5, 6});
  const absl::StatusOr<LearnerConfig> config = ConfigFromProto(proto);
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->prior.options.at("typed"), OptionValue(std::vector<double>{1, 2}));
  EXPECT_EQ(config->prior.options.at("table"), OptionValue(NumberTable{2, 3, {1, 2, 3, 4, 5, 6}}));
}

TEST(ConfigTest, ArraysGoThereAndBackExactlyInSinglePrecisionWhenThatLosesNothing) {
  const double largest = std::numeric_limits<double>::max();
  for (const double last : {-0.0, 0.5, 1e-3, largest}) {
    LearnerConfig config;
    std::vector<double> numbers(1000, 0.25);
    numbers.back() = last;
    config.prior = {"imported", {{"long", numbers}, {"table", NumberTable{1, 2, {1, last}}}}};
    v1::ModelConfig proto;
    ConfigToProto(config, &proto);
    EXPECT_EQ(proto.prior().options().fields_size(), 0);
    const v1::Tensor& tensor = proto.prior().arrays().at("long");
    const bool single = last == 0 || last == 0.5;
    EXPECT_EQ(tensor.dtype(), single ? v1::Tensor::DTYPE_FLOAT32 : v1::Tensor::DTYPE_FLOAT64)
        << last;
    EXPECT_EQ(tensor.data().size(), single ? 4000u : 8000u);
    const absl::StatusOr<LearnerConfig> back = ConfigFromBytes(ConfigToBytes(config));
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(*back, config);
    EXPECT_EQ(std::signbit(std::get<std::vector<double>>(back->prior.options.at("long")).back()),
              std::signbit(last));
    EXPECT_EQ(ConfigToBytes(*back), ConfigToBytes(config));
  }
}

TEST(ConfigTest, OtherArraysNameTheirField) {
  const auto refused = [](const v1::Tensor& tensor, const std::string& more = "") {
    v1::ModelConfig proto = Parse("prior { " + more + " }");
    (*proto.mutable_prior()->mutable_arrays())["w"] = tensor;
    const absl::StatusOr<LearnerConfig> config = ConfigFromProto(proto);
    return config.ok() ? "accepted" : FieldOf(config.status()).value_or("no field");
  };
  EXPECT_EQ(refused(Packed({3}, {1, 2})), "config.prior.arrays.w.data");
  EXPECT_EQ(refused(Packed({1, 2, 1}, {1, 2})), "config.prior.arrays.w.shape");
  EXPECT_EQ(refused(Packed({std::int64_t{1} << 62, 1}, {})), "config.prior.arrays.w.shape");
  EXPECT_EQ(refused(Packed({2}, {1, 2})), "accepted");
  EXPECT_EQ(refused(Packed({2}, {1, 2}), "options { fields { key: 'w' value { bool_value: 1 } } }"),
            "config.prior.arrays.w");
}

// With every default filled in, as the engine stores it.
absl::StatusOr<LearnerConfig> Resolve(const v1::ModelConfig& proto) {
  const absl::StatusOr<LearnerConfig> config = ConfigFromProto(proto);
  if (!config.ok()) return config.status();
  const absl::StatusOr<Learner> learner = Learner::Create(*config);
  if (!learner.ok()) return learner.status();
  return learner->config();
}

TEST(ConfigTest, DefaultsThatWereFilledInSurviveAndNoneIsFilledInTheSecondTime) {
  const v1::ModelConfig small = Parse("features { name: 'x' } target { name: 'y' }");
  const absl::StatusOr<LearnerConfig> once = Resolve(small);
  ASSERT_TRUE(once.ok()) << once.status();
  EXPECT_FALSE(once->model.name.empty());
  EXPECT_FALSE(once->rule.options.empty());
  for (const absl::StatusOr<LearnerConfig>& config : {once, Resolve(Parse(kFull))}) {
    ASSERT_TRUE(config.ok()) << config.status();
    v1::ModelConfig proto;
    ConfigToProto(*config, &proto);
    const absl::StatusOr<LearnerConfig> again = Resolve(proto);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(*again, *config);
  }
}

}  // namespace
}  // namespace prequel::wire::config_test
