#include "client/cli/output/prediction_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "client/cli/output/proto_json.h"
#include "client/make_tensor.h"
#include "google/protobuf/struct.pb.h"
#include "tests/client/named_numbers.h"

namespace prequel::cli::prediction_rows_test {
namespace {

using client::MakeTensor;
using ::testing::ElementsAre;

v1::Predictions Regression() {
  v1::Predictions predictions;
  *MutableOutput(predictions, "mean")->mutable_values() = MakeTensor({1, 2}, {2, 1});
  *MutableOutput(predictions, "epistemic_variance")->mutable_values() = MakeTensor({9, 0}, {2, 1});
  *MutableOutput(predictions, "aleatoric_variance")->mutable_values() = MakeTensor({16, 4}, {2, 1});
  *MutableOutput(predictions, "quantiles")->mutable_values() = MakeTensor({-1, 3, 0, 4}, {2, 1, 2});
  MutableOutput(predictions, "quantiles")->add_levels(0.05);
  MutableOutput(predictions, "quantiles")->add_levels(0.95);
  return predictions;
}

v1::Predictions Classes() {
  v1::Predictions predictions;
  *MutableOutput(predictions, "probabilities")->mutable_values() =
      MakeTensor({0.25, 0.75, 1, 0}, {2, 2});
  predictions.add_labels("no");
  predictions.add_labels("yes, really");
  *MutableOutput(predictions, "entropy")->mutable_values() = MakeTensor({0.5, 0}, {2});
  *MutableOutput(predictions, "aleatoric_entropy")->mutable_values() = MakeTensor({0.25, 0}, {2});
  *MutableOutput(predictions, "epistemic_entropy")->mutable_values() = MakeTensor({0.25, 0}, {2});
  return predictions;
}

std::string Write(const v1::Predictions& predictions, bool json) {
  std::ostringstream out;
  PredictionWriter writer(out, json);
  EXPECT_TRUE(writer.Add(*ToRows(predictions)).ok());
  writer.End("models/m", 3);
  return out.str();
}

TEST(PredictionRowsTest, RegressionAsCsv) {
  EXPECT_EQ(Write(Regression(), false),
            "mean,sd,epistemic_sd,aleatoric_sd,q0.05,q0.95\n1,5,3,4,-1,3\n2,2,0,2,0,4\n");
}

TEST(PredictionRowsTest, SeveralOutputs) {
  v1::Predictions predictions;
  *MutableOutput(predictions, "mean")->mutable_values() = MakeTensor({1, 2}, {1, 2});
  *MutableOutput(predictions, "epistemic_variance")->mutable_values() = MakeTensor({9, 0}, {1, 2});
  *MutableOutput(predictions, "aleatoric_variance")->mutable_values() = MakeTensor({16, 4}, {1, 2});
  *MutableOutput(predictions, "quantiles")->mutable_values() = MakeTensor({10, 20}, {1, 2, 1});
  MutableOutput(predictions, "quantiles")->add_levels(0.5);
  const PredictionRows rows = *ToRows(predictions);
  EXPECT_THAT(rows.columns,
              ElementsAre("mean_0", "mean_1", "sd_0", "sd_1", "epistemic_sd_0", "epistemic_sd_1",
                          "aleatoric_sd_0", "aleatoric_sd_1", "q0.5_0", "q0.5_1"));
  EXPECT_THAT(rows.values.at(0), ElementsAre(1, 2, 5, 2, 3, 0, 4, 2, 10, 20));
}

TEST(PredictionRowsTest, ClassesAsCsv) {
  EXPECT_EQ(Write(Classes(), false),
            "label,p_no,\"p_yes, really\",entropy,aleatoric_entropy,epistemic_entropy\n"
            "\"yes, really\",0.25,0.75,0.5,0.25,0.25\nno,1,0,0,0,0\n");
}

TEST(PredictionRowsTest, ClassesWithoutALabelYet) {
  v1::Predictions predictions = Classes();
  *MutableOutput(predictions, "probabilities")->mutable_values() =
      MakeTensor({0.2, 0.3, 0.4, 0.1, 1, 0, 0, 0}, {2, 4});
  const PredictionRows some = *ToRows(predictions);
  EXPECT_THAT(some.labels, ElementsAre("new", "no"));
  EXPECT_EQ(some.columns.at(2), "p_new");
  EXPECT_EQ(some.columns.at(3), "p_new_2");
  predictions.clear_labels();
  EXPECT_THAT(ToRows(predictions)->labels, ElementsAre("2", "0")) << "no label is known";
}

// As in the scores of the server.
TEST(PredictionRowsTest, OfEquallyProbableClassesTheFirstIsShown) {
  v1::Predictions predictions = Classes();
  *MutableOutput(predictions, "probabilities")->mutable_values() =
      MakeTensor({0.5, 0.5, 0, 0.2, 0.4, 0.4}, {2, 3});
  predictions.add_labels("maybe");
  EXPECT_THAT(ToRows(predictions)->labels, ElementsAre("no", "yes, really"));
}

TEST(PredictionRowsTest, JsonIsOneDocument) {
  google::protobuf::Struct parsed;
  const std::string json = Write(Classes(), true);
  ASSERT_TRUE(FromJson(json, &parsed).ok()) << json;
  EXPECT_EQ(parsed.fields().at("revision").number_value(), 3);
  const auto& rows = parsed.fields().at("rows").list_value();
  ASSERT_EQ(rows.values_size(), 2);
  EXPECT_EQ(rows.values(0).struct_value().fields().at("p_no").number_value(), 0.25);
}

TEST(PredictionRowsTest, NoRowsAreStillADocument) {
  std::ostringstream out;
  PredictionWriter writer(out, true);
  writer.End("models/m", 3);
  google::protobuf::Struct parsed;
  EXPECT_TRUE(FromJson(out.str(), &parsed).ok()) << out.str();
}

TEST(PredictionRowsTest, TensorsThatDoNotFitAreRefused) {
  v1::Predictions predictions = Regression();
  *MutableOutput(predictions, "aleatoric_variance")->mutable_values() = MakeTensor({1}, {1, 1});
  EXPECT_EQ(ToRows(predictions).status().code(), absl::StatusCode::kDataLoss);
  predictions = Regression();
  MutableOutput(predictions, "quantiles")->add_levels(0.99);
  EXPECT_EQ(ToRows(predictions).status().code(), absl::StatusCode::kDataLoss);
  predictions = Classes();
  *MutableOutput(predictions, "entropy")->mutable_values() = MakeTensor({1}, {1});
  EXPECT_EQ(ToRows(predictions).status().code(), absl::StatusCode::kDataLoss);
}

TEST(PredictionRowsTest, AChangeOfColumnsIsRefused) {
  std::ostringstream out;
  PredictionWriter writer(out, false);
  ASSERT_TRUE(writer.Add(*ToRows(Classes())).ok());
  EXPECT_FALSE(writer.Add(*ToRows(Regression())).ok());
}

}  // namespace
}  // namespace prequel::cli::prediction_rows_test
