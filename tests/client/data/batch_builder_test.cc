#include "client/data/batch_builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "client/make_tensor.h"

namespace prequel::client::batch_builder_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

v1::ModelConfig Config(const std::vector<std::string>& numeric) {
  v1::ModelConfig config;
  for (const std::string& name : numeric) config.add_features()->set_name(name);
  config.mutable_target()->set_name("y");
  return config;
}

CsvRow Row(std::vector<std::string> cells, std::int64_t line = 2) {
  return {.line = line, .cells = std::move(cells)};
}

BatchBuilder Make(const v1::ModelConfig& config, const std::vector<std::string>& header,
                  const BatchOptions& options = {}) {
  absl::StatusOr<BatchBuilder> builder = BatchBuilder::Create(config, header, options);
  EXPECT_TRUE(builder.ok()) << builder.status();
  return *std::move(builder);
}

TEST(BatchBuilderTest, ColumnsFollowTheModelNotTheFile) {
  BatchBuilder builder = Make(Config({"b", "a"}), {"a", "y", "unused", "b"});
  ASSERT_TRUE(builder.Add(Row({"1", "9", "text", "2"})).ok());
  ASSERT_TRUE(builder.Add(Row({"3", "8", "text", "4"})).ok());
  EXPECT_EQ(builder.rows(), 2);
  const v1::Batch batch = builder.Take();
  EXPECT_THAT(batch.inputs().shape(), ElementsAre(2, 2));
  EXPECT_THAT(*TensorValues(batch.inputs()), ElementsAre(2, 1, 4, 3));
  EXPECT_THAT(batch.targets().shape(), ElementsAre(2));
  EXPECT_THAT(*TensorValues(batch.targets()), ElementsAre(9, 8));
  EXPECT_EQ(builder.rows(), 0);
  ASSERT_TRUE(builder.Add(Row({"5", "7", "", "6"})).ok());
  EXPECT_THAT(*TensorValues(builder.Take().inputs()), ElementsAre(6, 5));
}

TEST(BatchBuilderTest, Float32) {
  BatchBuilder builder = Make(Config({"a"}), {"a", "y"}, {.float32 = true});
  ASSERT_TRUE(builder.Add(Row({"0.1", "1"})).ok());
  const v1::Batch batch = builder.Take();
  EXPECT_EQ(batch.inputs().dtype(), v1::Tensor::DTYPE_FLOAT32);
  EXPECT_EQ(batch.inputs().data().size(), 4);
  EXPECT_EQ(batch.targets().data().size(), 4);
}

TEST(BatchBuilderTest, TimesAreNumbersOrDatesAndDoubles) {
  const BatchOptions options{.float32 = true, .time_column = "when"};
  BatchBuilder builder = Make(Config({"a"}), {"a", "when", "y"}, options);
  ASSERT_TRUE(builder.Add(Row({"1", "1.5", "0"})).ok());
  ASSERT_TRUE(builder.Add(Row({"1", "1970-01-02", "0"})).ok());
  ASSERT_TRUE(builder.Add(Row({"1", "1970-01-02T00:01:00Z", "0"})).ok());
  EXPECT_THAT(builder.Add(Row({"1", "soon", "0"})).ToString(), HasSubstr("column 'when'"));
  EXPECT_FALSE(builder.Add(Row({"1", "", "0"})).ok());
  const v1::Batch batch = builder.Take();
  EXPECT_EQ(batch.times().dtype(), v1::Tensor::DTYPE_FLOAT64);
  EXPECT_THAT(batch.times().shape(), ElementsAre(3));
  EXPECT_THAT(*TensorValues(batch.times()), ElementsAre(1.5, 86400, 86460));
  EXPECT_FALSE(BatchBuilder::Create(Config({"a"}), {"a", "y"}, options).ok());
}

TEST(BatchBuilderTest, WeightsAreNumbersFromZero) {
  const BatchOptions options{.float32 = true, .weight_column = "w"};
  BatchBuilder builder = Make(Config({"a"}), {"a", "w", "y"}, options);
  ASSERT_TRUE(builder.Add(Row({"1", "2.5", "0"})).ok());
  ASSERT_TRUE(builder.Add(Row({"1", "0", "0"})).ok());
  for (const char* bad : {"-1", "1000001", "much", ""}) {
    const absl::Status status = builder.Add(Row({"1", bad, "0"}, 7));
    EXPECT_THAT(status.ToString(), HasSubstr("line 7, column 'w'")) << bad;
  }
  const v1::Batch batch = builder.Take();
  EXPECT_EQ(batch.weights().dtype(), v1::Tensor::DTYPE_FLOAT64);
  EXPECT_THAT(*TensorValues(batch.weights()), ElementsAre(2.5, 0));
  EXPECT_FALSE(BatchBuilder::Create(Config({"a"}), {"a", "y"}, options).ok());
}

TEST(BatchBuilderTest, TextFeaturesTravelApart) {
  v1::ModelConfig config = Config({"a"});
  v1::Feature& feature = *config.add_features();
  feature.set_name("wind");
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  BatchBuilder builder = Make(config, {"wind", "a", "y"});
  ASSERT_TRUE(builder.Add(Row({"NW", "1", "0"})).ok());
  ASSERT_TRUE(builder.Add(Row({"", "2", "0"})).ok());
  const v1::Batch batch = builder.Take();
  ASSERT_EQ(batch.text_size(), 1);
  EXPECT_THAT(batch.text(0).values(), ElementsAre("NW", ""));
  EXPECT_THAT(*TensorValues(batch.inputs()), ElementsAre(1, 2));
}

TEST(BatchBuilderTest, MissingValues) {
  v1::ModelConfig config = Config({"a", "b"});
  config.mutable_features(0)->set_allow_missing(true);
  BatchBuilder builder = Make(config, {"a", "b", "y"});
  ASSERT_TRUE(builder.Add(Row({"", "1", "0"})).ok());
  ASSERT_TRUE(builder.Add(Row({"NaN", "1", "0"})).ok());
  const absl::Status refused = builder.Add(Row({"1", " ", "0"}, 17));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("line 17, column 'b': no value"));
  EXPECT_EQ(builder.rows(), 2);
  const std::vector<double> values = *TensorValues(builder.Take().inputs());
  ASSERT_EQ(values.size(), 4);
  EXPECT_TRUE(std::isnan(values[0]) && std::isnan(values[2]));
}

TEST(BatchBuilderTest, BadCellsNameLineAndColumnAndLeaveTheBatchAlone) {
  BatchBuilder builder = Make(Config({"a", "b"}), {"a", "b", "y"});
  ASSERT_TRUE(builder.Add(Row({"1", "2", "0"})).ok());
  EXPECT_EQ(builder.Add(Row({"3", "x", "0"}, 3)).message(),
            "line 3, column 'b': 'x' is not a number");
  EXPECT_THAT(std::string(builder.Add(Row({"3", "inf", "0"}, 4)).message()), HasSubstr("infinite"));
  EXPECT_THAT(std::string(builder.Add(Row({"3", "4", ""}, 5)).message()),
              HasSubstr("line 5, column 'y': no target"));
  EXPECT_THAT(*TensorValues(builder.Take().inputs()), ElementsAre(1, 2));
}

TEST(BatchBuilderTest, DatesBecomeTheNumbersThatTheFeaturesNameSays) {
  v1::ModelConfig config = Config({"a", "when:date-dmy", "b"});
  config.mutable_features(1)->set_width(5);
  BatchBuilder builder = Make(config, {"when", "b", "a", "y"});
  ASSERT_TRUE(builder.Add(Row({"1/3/2000", "2", "1", "0"})).ok());
  EXPECT_EQ(builder.Add(Row({"2000-03-01", "2", "1", "0"}, 7)).message(),
            "line 7, column 'when': '2000-03-01' is none that the model knows: it learns such as "
            "31/1/2024");
  EXPECT_THAT(std::string(builder.Add(Row({"NA", "2", "1", "0"}, 8)).message()),
              HasSubstr("line 8, column 'when': no value"));
  const v1::Batch batch = builder.Take();
  EXPECT_THAT(batch.inputs().shape(), ElementsAre(1, 7));
  const std::vector<double> values = *TensorValues(batch.inputs());
  EXPECT_EQ(values[0], 1);
  EXPECT_EQ(values[1], 11017);
  EXPECT_EQ(values[6], 2);
  config.mutable_features(1)->set_allow_missing(true);
  BatchBuilder gaps = Make(config, {"when", "b", "a", "y"});
  ASSERT_TRUE(gaps.Add(Row({"NA", "2", "1", "0"})).ok());
  EXPECT_TRUE(std::isnan((*TensorValues(gaps.Take().inputs()))[5]));
  EXPECT_EQ(BatchBuilder::Create(config, {"a", "b", "y", "moment"}, {}).status().message(),
            "no column 'when'; the file has 'a', 'b', 'y', 'moment'");
}

TEST(BatchBuilderTest, WordsForNoValueAreTextWhereTextIsMeant) {
  v1::ModelConfig config = Config({"a"});
  config.mutable_features(0)->set_allow_missing(true);
  v1::Feature& feature = *config.add_features();
  feature.set_name("t");
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  config.mutable_target()->set_allow_missing(true);
  BatchBuilder builder = Make(config, {"a", "t", "y"});
  ASSERT_TRUE(builder.Add(Row({"NULL", " NA ", "NA"})).ok());
  ASSERT_TRUE(builder.Add(Row({"1", "x", "cat"})).ok());
  const v1::Batch batch = builder.Take();
  EXPECT_TRUE(std::isnan((*TensorValues(batch.inputs()))[0]));
  EXPECT_THAT(batch.text(0).values(), ElementsAre("NA", "x"));
  EXPECT_THAT(batch.labels(), ElementsAre("", "cat"));
  config.mutable_target()->add_labels("NA");
  BatchBuilder listed = Make(config, {"a", "t", "y"});
  ASSERT_TRUE(listed.Add(Row({"1", "x", "NA"})).ok());
  EXPECT_THAT(listed.Take().labels(), ElementsAre("NA"));
}

TEST(BatchBuilderTest, WhatTheServiceWouldRefuseIsNamedByItsLine) {
  v1::ModelConfig config = Config({"a"});
  v1::Feature& feature = *config.add_features();
  feature.set_name("t");
  feature.set_kind(v1::Feature::KIND_CATEGORICAL);
  BatchBuilder builder = Make(config, {"a", "t", "y"});
  EXPECT_EQ(builder.Add(Row({"1", std::string(1025, 'x'), "0"}, 3)).message(),
            "line 3, column 't': a text of 1025 bytes; the longest has 1024");
  EXPECT_EQ(builder.Add(Row({"1e101", "x", "0"}, 4)).message(),
            "line 4, column 'a': '1e101' is infinite or beyond 1e100");
  EXPECT_EQ(builder.Add(Row({"1,234", "x", "0"}, 5)).message(),
            "line 5, column 'a': '1,234' has a separator of thousands: write 1234");
  EXPECT_EQ(builder.Add(Row({"1", "x", std::string(1025, 'x')}, 6)).message(),
            "line 6, column 'y': a text of 1025 bytes; the longest has 1024");
  EXPECT_EQ(builder.rows(), 0);
}

TEST(BatchBuilderTest, TargetsAsLabelsWhenTheModelListsThem) {
  v1::ModelConfig config = Config({"a"});
  config.mutable_target()->add_labels("0");
  config.mutable_target()->add_labels("1");
  BatchBuilder builder = Make(config, {"a", "y"});
  ASSERT_TRUE(builder.Add(Row({"1", " 1 "})).ok());
  const v1::Batch batch = builder.Take();
  EXPECT_FALSE(batch.has_targets());
  EXPECT_THAT(batch.labels(), ElementsAre("1"));
}

TEST(BatchBuilderTest, SaysWhatSinglePrecisionMakesOfLargeNumbers) {
  for (const bool float32 : {true, false}) {
    BatchBuilder builder = Make(Config({"id"}), {"id", "y"}, {.float32 = float32});
    ASSERT_TRUE(builder.Add(Row({"16777216", "0.1"})).ok());
    EXPECT_EQ(builder.rounding(), "");
    ASSERT_TRUE(builder.Add(Row({"16777217", "0.1"}, 3)).ok());
    ASSERT_TRUE(builder.Add(Row({"16777219", "0.1"}, 4)).ok());
    const std::string note =
        "line 3, column 'id': 16777217 travels as 16777216 with --float32, as other large numbers "
        "do; leave it out to keep them";
    EXPECT_EQ(builder.rounding(), float32 ? note : "");
  }
}

TEST(BatchBuilderTest, TruthValuesAreNumbersWhereTheModelHasNumbers) {
  BatchBuilder builder = Make(Config({"a"}), {"a", "y"});
  for (const char* cell : {"True", "false", "1"}) ASSERT_TRUE(builder.Add(Row({cell, "2"})).ok());
  EXPECT_THAT(*TensorValues(builder.Take().inputs()), ElementsAre(1, 0, 1));
}

TEST(BatchBuilderTest, TheFirstTargetDecidesTheForm) {
  BatchBuilder text = Make(Config({"a"}), {"a", "y"});
  ASSERT_TRUE(text.Add(Row({"1", "cat"})).ok());
  ASSERT_TRUE(text.Add(Row({"1", "7"})).ok());
  EXPECT_THAT(text.Take().labels(), ElementsAre("cat", "7"));

  BatchBuilder numbers = Make(Config({"a"}), {"a", "y"});
  ASSERT_TRUE(numbers.Add(Row({"1", "7"})).ok());
  EXPECT_EQ(numbers.Add(Row({"1", "cat"}, 3)).message(),
            "line 3, column 'y': 'cat' is not a number");
}

TEST(BatchBuilderTest, MissingTargetsWhereAllowed) {
  v1::ModelConfig config = Config({"a"});
  config.mutable_target()->set_allow_missing(true);
  BatchBuilder numbers = Make(config, {"a", "y"});
  ASSERT_TRUE(numbers.Add(Row({"1", ""})).ok());
  ASSERT_TRUE(numbers.Add(Row({"1", "2"})).ok());
  const std::vector<double> values = *TensorValues(numbers.Take().targets());
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_EQ(values[1], 2);

  BatchBuilder labels = Make(config, {"a", "y"});
  ASSERT_TRUE(labels.Add(Row({"1", ""})).ok());
  ASSERT_TRUE(labels.Add(Row({"1", "cat"})).ok());
  EXPECT_THAT(labels.Take().labels(), ElementsAre("", "cat"));
}

TEST(BatchBuilderTest, WideTargets) {
  v1::ModelConfig config = Config({"a"});
  config.mutable_target()->set_width(2);
  BatchBuilder builder = Make(config, {"y1", "a", "y2"});
  ASSERT_TRUE(builder.Add(Row({"5", "1", "6"})).ok());
  const v1::Batch batch = builder.Take();
  EXPECT_THAT(batch.targets().shape(), ElementsAre(1, 2));
  EXPECT_THAT(*TensorValues(batch.targets()), ElementsAre(5, 6));
}

TEST(BatchBuilderTest, TargetUnderAnotherNameOrNotAtAll) {
  BatchBuilder renamed = Make(Config({"a"}), {"a", "price"}, {.target_column = "price"});
  ASSERT_TRUE(renamed.Add(Row({"1", "2"})).ok());
  EXPECT_THAT(*TensorValues(renamed.Take().targets()), ElementsAre(2));

  BatchBuilder none = Make(Config({"a"}), {"a"}, {.with_targets = false});
  ASSERT_TRUE(none.Add(Row({"1"})).ok());
  const v1::Batch batch = none.Take();
  EXPECT_FALSE(batch.has_targets());
  EXPECT_TRUE(batch.labels().empty());
}

TEST(BatchBuilderTest, MissingColumnsAreFoundAtOnce) {
  EXPECT_EQ(BatchBuilder::Create(Config({"speed"}), {"sped", "y"}, {}).status().message(),
            "no column 'speed'; did you mean 'sped'?");
  EXPECT_THAT(std::string(BatchBuilder::Create(Config({"a"}), {"a", "b"}, {}).status().message()),
              HasSubstr("no column 'y'"));
}

}  // namespace
}  // namespace prequel::client::batch_builder_test
