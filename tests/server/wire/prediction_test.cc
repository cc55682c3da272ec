#include "server/wire/prediction.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "core/config/error.h"
#include "server/wire/evaluation.h"
#include "server/wire/tensor.h"

namespace prequel::wire {
namespace {

std::vector<std::int64_t> ShapeOf(const v1::Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

TEST(PredictionTest, QuantilesAreRowsOutputsLevels) {
  Predictions predictions;
  predictions.mean = Matrix::Zero(2, 4);
  predictions.quantile_levels = {0.1, 0.5, 0.9};
  predictions.quantiles = Matrix::Zero(6, 4);
  v1::Predictions proto;
  PredictionsToProto(predictions, &proto);
  EXPECT_EQ(ShapeOf(proto.mean()), (std::vector<std::int64_t>{4, 2}));
  EXPECT_EQ(ShapeOf(proto.quantiles()), (std::vector<std::int64_t>{4, 2, 3}));
  EXPECT_EQ(proto.quantile_levels_size(), 3);
  EXPECT_FALSE(proto.has_probabilities());
  EXPECT_FALSE(proto.has_entropy());
}

TEST(PredictionTest, ClassesComeWithLabelsEntropiesAndLogits) {
  Predictions predictions;
  predictions.probabilities = Matrix::Constant(3, 2, 1. / 3);
  predictions.labels = {"a", "b", "c"};
  predictions.entropy = Vector::Constant(2, 1);
  predictions.logit_mean = Matrix::Zero(3, 2);
  predictions.logit_covariance = Matrix::Zero(9, 2);
  v1::Predictions proto;
  PredictionsToProto(predictions, &proto);
  EXPECT_EQ(ShapeOf(proto.probabilities()), (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(proto.labels_size(), 3);
  EXPECT_EQ(ShapeOf(proto.entropy()), std::vector<std::int64_t>{2});
  EXPECT_EQ(ShapeOf(proto.logit_covariance()), (std::vector<std::int64_t>{2, 3, 3}));
  EXPECT_FALSE(proto.has_mean());
}

TEST(PredictionTest, OptionsAreChecked) {
  v1::PredictOptions proto;
  ASSERT_TRUE(PredictOptionsFromProto(proto).ok());
  EXPECT_EQ(PredictOptionsFromProto(proto)->quantiles.size(), 5U);
  proto.set_samples(4'000'000'000U);
  EXPECT_EQ(FieldOf(PredictOptionsFromProto(proto).status()), "options.samples");
  proto.set_samples(0);
  proto.add_quantiles(1.5);
  EXPECT_TRUE(absl::IsInvalidArgument(PredictOptionsFromProto(proto).status()));
}

TEST(EvaluationTest, ScoresThatDoNotApplyAreLeftOut) {
  Scores scores;
  scores.Add("nll", 0.5);
  scores.Add("rmse", 0);
  v1::Scores proto;
  ScoresToProto(scores, &proto);
  EXPECT_TRUE(proto.has_rmse());
  EXPECT_FALSE(proto.has_accuracy());
  EXPECT_EQ(proto.nll(), 0.5);
}

}  // namespace
}  // namespace prequel::wire
