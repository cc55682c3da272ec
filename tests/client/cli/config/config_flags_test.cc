#include "client/cli/config/config_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "client/cli/session.h"

namespace prequel::cli::config_flags_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

v1::ModelConfig Apply(const ConfigFlags& flags, v1::ModelConfig config = {}) {
  const absl::Status status = ApplyFlags(flags, &config);
  EXPECT_TRUE(status.ok()) << status;
  return config;
}

const google::protobuf::Value& Option(const v1::Component& component, const std::string& key) {
  return component.options().fields().at(key);
}

TEST(ConfigFlagsTest, Inputs) {
  const v1::ModelConfig config = Apply({.inputs = "a,b?,pixel:784,wind:text,odd:name"});
  ASSERT_EQ(config.features_size(), 5);
  EXPECT_EQ(config.features(0).name(), "a");
  EXPECT_TRUE(config.features(1).allow_missing());
  EXPECT_EQ(config.features(1).name(), "b");
  EXPECT_EQ(config.features(2).name(), "pixel");
  EXPECT_EQ(config.features(2).width(), 784);
  EXPECT_EQ(config.features(3).kind(), v1::Feature::KIND_CATEGORICAL);
  EXPECT_EQ(config.features(3).name(), "wind");
  EXPECT_EQ(config.features(4).name(), "odd:name");
}

TEST(ConfigFlagsTest, ANameMayHaveAComma) {
  const v1::ModelConfig config =
      Apply({.inputs = "\"price, net\",b?", .labels = "yes,\"no, or later\""});
  ASSERT_EQ(config.features_size(), 2);
  EXPECT_EQ(config.features(0).name(), "price, net");
  EXPECT_THAT(config.target().labels(), ElementsAre("yes", "no, or later"));
}

TEST(ConfigFlagsTest, HashBucketsMakeAnInputText) {
  const v1::ModelConfig config =
      Apply({.inputs = "a,user,s:id", .hash_buckets = "user:1024,s:id:8"});
  EXPECT_EQ(config.features(0).hash_buckets(), 0);
  EXPECT_EQ(config.features(1).hash_buckets(), 1024);
  EXPECT_EQ(config.features(1).kind(), v1::Feature::KIND_CATEGORICAL);
  EXPECT_EQ(config.features(2).hash_buckets(), 8);
  for (const char* wrong : {"user", "user:", "user:0", "user:many", "nobody:8"}) {
    v1::ModelConfig other = config;
    const absl::Status status = ApplyFlags({.hash_buckets = wrong}, &other);
    EXPECT_THAT(std::string(status.message()), HasSubstr("--hash-buckets")) << wrong;
  }
}

TEST(ConfigFlagsTest, InputsOfDatesAndTimes) {
  const v1::ModelConfig config = Apply({.inputs = "day:date,at:datetime-mdy?,time,t:time:2"});
  EXPECT_EQ(config.features(0).name(), "day:date");
  EXPECT_EQ(config.features(0).width(), 5);
  EXPECT_EQ(config.features(1).name(), "at:datetime-mdy");
  EXPECT_EQ(config.features(1).width(), 7);
  EXPECT_TRUE(config.features(1).allow_missing());
  EXPECT_EQ(config.features(2).width(), 0) << "a column of that name";
  EXPECT_EQ(config.features(3).name(), "t:time") << "as describe writes it";
  EXPECT_EQ(config.features(3).width(), 2);
}

TEST(ConfigFlagsTest, ClassesThatAreGivenReplaceThoseOfTheBase) {
  v1::ModelConfig base;
  base.mutable_target()->set_num_classes(4);
  EXPECT_EQ(Apply({.labels = "a,b,c"}, base).target().num_classes(), 0);
  base.mutable_target()->add_labels("a");
  const v1::ModelConfig classes = Apply({.classes = 5}, base);
  EXPECT_EQ(classes.target().num_classes(), 5);
  EXPECT_EQ(classes.target().labels_size(), 0);
}

TEST(ConfigFlagsTest, InputsByNumber) {
  const v1::ModelConfig config = Apply({.inputs = "12"});
  ASSERT_EQ(config.features_size(), 1);
  EXPECT_EQ(config.features(0).name(), "x");
  EXPECT_EQ(config.features(0).width(), 12);
}

TEST(ConfigFlagsTest, PartsAndTheirShortcuts) {
  const v1::ModelConfig config = Apply({.target = "y",
                                        .model = "mlp",
                                        .posterior = "diagonal",
                                        .dynamics = "static",
                                        .calibration = "none",
                                        .robustness = "imq",
                                        .hidden = "32,16",
                                        .activation = "tanh",
                                        .prior_precision = 2.5,
                                        .labels = "no,yes",
                                        .standardize_inputs = "none",
                                        .seed = 7,
                                        .window = 500});
  EXPECT_EQ(config.model().name(), "mlp");
  const auto& hidden = Option(config.model(), "hidden").list_value();
  ASSERT_EQ(hidden.values_size(), 2);
  EXPECT_EQ(hidden.values(1).number_value(), 16);
  EXPECT_EQ(Option(config.model(), "activation").string_value(), "tanh");
  EXPECT_EQ(Option(config.prior(), "precision").number_value(), 2.5);
  EXPECT_EQ(config.posterior().name(), "diagonal");
  EXPECT_EQ(config.dynamics().name(), "static");
  EXPECT_EQ(config.calibration().name(), "none");
  EXPECT_EQ(config.robustness().name(), "imq");
  EXPECT_THAT(config.target().labels(), ElementsAre("no", "yes"));
  EXPECT_EQ(config.encoding().inputs(), v1::Encoding::STANDARDIZE_NONE);
  EXPECT_EQ(config.seed(), 7);
  EXPECT_EQ(config.evaluation().window(), 500);
  EXPECT_FALSE(config.has_rule());
}

TEST(ConfigFlagsTest, OneHiddenLayerIsStillAList) {
  const v1::ModelConfig config = Apply({.hidden = "32"});
  EXPECT_EQ(Option(config.model(), "hidden").list_value().values_size(), 1);
}

TEST(ConfigFlagsTest, AnotherAlternativeDropsTheOldOnesOptions) {
  v1::ModelConfig base = Apply({.model = "mlp", .hidden = "32"});
  EXPECT_EQ(Apply({.model = "mlp"}, base).model().options().fields_size(), 1);
  EXPECT_EQ(Apply({.model = "linear"}, base).model().options().fields_size(), 0);
}

TEST(ConfigFlagsTest, OptionValues) {
  v1::ModelConfig config;
  for (const char* option :
       {"rule.passes=5", "rule.flag=true", "rule.text=learned", "rule.sizes=1,2",
        "rule.json=[1,[2]]", "rule.quoted=\"5\"", "rule.empty=", "rule.a.b=c=d"}) {
    ASSERT_TRUE(ApplyOption(option, &config).ok()) << option;
  }
  EXPECT_EQ(Option(config.rule(), "passes").number_value(), 5);
  EXPECT_TRUE(Option(config.rule(), "flag").bool_value());
  EXPECT_EQ(Option(config.rule(), "text").string_value(), "learned");
  EXPECT_EQ(Option(config.rule(), "sizes").list_value().values(1).number_value(), 2);
  EXPECT_EQ(Option(config.rule(), "json").list_value().values_size(), 2);
  EXPECT_EQ(Option(config.rule(), "quoted").string_value(), "5");
  EXPECT_EQ(Option(config.rule(), "empty").string_value(), "");
  EXPECT_EQ(Option(config.rule(), "a.b").string_value(), "c=d");
}

TEST(ConfigFlagsTest, OptionsReachPartsWithFieldsOfTheirOwn) {
  v1::ModelConfig config;
  ASSERT_TRUE(ApplyOption("evaluation.window=250", &config).ok());
  ASSERT_TRUE(ApplyOption("encoding.targets=STANDARDIZE_NONE", &config).ok());
  ASSERT_TRUE(ApplyOption("encoding.inputs=STANDARDIZE_RUNNING", &config).ok());
  EXPECT_EQ(config.evaluation().window(), 250);
  EXPECT_EQ(config.encoding().targets(), v1::Encoding::STANDARDIZE_NONE);
  EXPECT_EQ(config.encoding().inputs(), v1::Encoding::STANDARDIZE_RUNNING);
}

TEST(ConfigFlagsTest, BadOptionsAreUsageErrors) {
  v1::ModelConfig config;
  for (const char* option : {"rule", "rule.passes", "passes=5", ".x=1", "rule.=1", "ruel.passes=5",
                             "features.a=1", "seed.a=1", "evaluation.windw=5"}) {
    const absl::Status status = ApplyOption(option, &config);
    EXPECT_EQ(ExitCodeOf(status), kUsage) << option << ": " << status;
  }
  EXPECT_THAT(std::string(ApplyOption("ruel.passes=5", &config).message()),
              HasSubstr("did you mean 'rule'?"));
  const std::string far(ApplyOption("zebra.passes=5", &config).message());
  EXPECT_THAT(far, HasSubstr("no part 'zebra'; the parts are "));
  EXPECT_THAT(far, Not(HasSubstr("did you mean")));
  EXPECT_EQ(ExitCodeOf(ApplyFlags({.standardize_inputs = "always"}, &config)), kUsage);
}

}  // namespace
}  // namespace prequel::cli::config_flags_test
