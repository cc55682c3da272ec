#include "server/wire/prediction_message.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "server/wire/evaluation_message.h"
#include "server/wire/tensor_message.h"

namespace prequel::wire::prediction_test {
namespace {

std::vector<std::int64_t> ShapeOf(const v1::Tensor& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

TEST(PredictionTest, OutputsAreRowsOfTheirShape) {
  Answer answer;
  answer.labels = {"a", "b", "c"};
  answer.outputs = {
      {.name = "entropy", .values = Matrix::Constant(1, 4, 0.5)},
      {.name = "quantiles", .shape = {2, 3}, .levels = {0.1, 0.5, 0.9}, .values = Matrix(6, 4)}};
  for (Index i = 0; i < 24; ++i) answer.outputs[1].values.data()[i] = static_cast<double>(i);
  v1::Predictions proto;
  AnswerToProto(answer, &proto);
  ASSERT_EQ(proto.outputs_size(), 2);
  EXPECT_EQ(proto.outputs(0).name(), "entropy");
  EXPECT_EQ(ShapeOf(proto.outputs(0).values()), std::vector<std::int64_t>{4});
  const v1::Output& quantiles = proto.outputs(1);
  EXPECT_EQ(ShapeOf(quantiles.values()), (std::vector<std::int64_t>{4, 2, 3}));
  EXPECT_EQ(quantiles.levels_size(), 3);
  EXPECT_EQ(proto.labels_size(), 3);
  // Row 1 of the tensor is column 1, its last dimension the fastest.
  const absl::StatusOr<Matrix> flat = [&] {
    v1::Tensor tensor = quantiles.values();
    tensor.clear_shape();
    tensor.add_shape(4);
    tensor.add_shape(6);
    return MatrixFromTensor(tensor, Rank::kMatrix, 4, "quantiles");
  }();
  ASSERT_TRUE(flat.ok()) << flat.status();
  EXPECT_EQ(*flat, answer.outputs[1].values);
}

TEST(PredictionTest, ScoresSayWhatTheyAreOf) {
  Scored scored;
  scored.scores.examples = 5;
  scored.scores.Add("nll", 0.25);
  scored.skipped_rows = 2;
  scored.unscored_rows = 3;
  scored.unseen_categories = 4;
  scored.refused = {1, {{6, "\"\xff\"", "classes are 0..9"}}};
  v1::BatchScores proto;
  ScoredToProto(scored, &proto);
  EXPECT_EQ(proto.scores().examples(), 5);
  EXPECT_EQ(proto.scores().scores(0).name(), "nll");
  EXPECT_EQ(proto.scores().scores(0).value(), 0.25);
  EXPECT_EQ(proto.skipped_rows(), 2);
  EXPECT_EQ(proto.unscored_rows(), 3);
  EXPECT_EQ(proto.unseen_categories(), 4);
  EXPECT_EQ(proto.refused_rows(), 1);
  EXPECT_EQ(proto.first_refused_rows(0).row(), 6);
  v1::BatchScores read;  // the label has come to be UTF-8
  EXPECT_TRUE(read.ParseFromString(proto.SerializeAsString()));
}

// A label may have come by a file that is no UTF-8.
TEST(PredictionTest, RefusedRowsAreReadable) {
  Learned learned;
  learned.report.rows = 3;
  learned.refused.count = 12;
  learned.unseen_categories = 5;
  learned.refused.first = {{4, "\"naïve\"", "classes are 0..9"}, {6, "\"\xff\"", "\xfe"}};
  v1::StepReport proto;
  StepReportToProto(learned, &proto);
  EXPECT_EQ(proto.rows(), 3);
  EXPECT_EQ(proto.refused_rows(), 12);
  EXPECT_EQ(proto.unseen_categories(), 5);
  ASSERT_EQ(proto.first_refused_rows_size(), 2);
  EXPECT_EQ(proto.first_refused_rows(0).row(), 4);
  EXPECT_EQ(proto.first_refused_rows(0).label(), "\"naïve\"");
  EXPECT_EQ(proto.first_refused_rows(0).reason(), "classes are 0..9");
  v1::StepReport read;
  EXPECT_TRUE(read.ParseFromString(proto.SerializeAsString()));
  EXPECT_EQ(proto.first_refused_rows(1).row(), 6);
}

TEST(PredictionTest, EvaluationsAreComparedWithWhatThereIs) {
  LearnerConfig config;
  config.features = {{.name = "x"}};
  config.target.name = "y";
  for (const char* calibration : {"online", "none"}) {
    config.calibration.name = calibration;
    const Learner learner = Learner::Create(config).value();
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (int t = 0; t < 3; ++t) {
      Batch batch;
      batch.inputs = batch.targets = Matrix::Constant(1, 4, 0.5 * t);
      batch.targets(0, 1) += 1;
      ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
    }
    v1::GetEvaluationResponse proto;
    EvaluationToProto(learner, state, &proto);
    std::string names;
    for (const v1::Comparison& comparison : proto.comparisons()) {
      names += comparison.name() + " ";
      EXPECT_EQ(comparison.cumulative().examples(), proto.cumulative().examples());
      // Before calibration: what it changes; of the belief that stands still: what is cheap.
      const int scores = comparison.name() == "raw" ? 5 : comparison.name() == "static" ? 3 : 9;
      EXPECT_EQ(comparison.window().scores_size(), scores);
    }
    EXPECT_EQ(names, config.calibration.name == "none" ? "last average static "
                                                       : "raw last average static ");
  }
}

TEST(PredictionTest, QueriesKeepNameOrderAndOptions) {
  v1::PredictOptions proto;
  proto.set_samples(7);
  proto.set_raw(true);
  proto.add_queries()->set_name("moments");
  v1::Query* quantiles = proto.add_queries();
  quantiles->set_name("quantiles");
  auto& fields = *quantiles->mutable_options()->mutable_fields();
  fields["levels"].mutable_list_value()->add_values()->set_number_value(0.25);
  const absl::StatusOr<PredictOptions> options = PredictOptionsFromProto(proto);
  ASSERT_TRUE(options.ok()) << options.status();
  EXPECT_EQ(options->samples, 7);
  EXPECT_TRUE(options->raw);
  ASSERT_EQ(options->queries.size(), 2u);
  EXPECT_EQ(options->queries[0], (ComponentConfig{"moments", {}}));
  EXPECT_EQ(options->queries[1],
            (ComponentConfig{"quantiles", {{"levels", std::vector<double>{0.25}}}}));
  EXPECT_TRUE(PredictOptionsFromProto({})->queries.empty());
}

TEST(PredictionTest, WhatNoQueryCanHaveIsRefused) {
  v1::PredictOptions proto;
  proto.add_queries()->set_name("moments");
  v1::Query* quantiles = proto.add_queries();
  auto& fields = *quantiles->mutable_options()->mutable_fields();
  fields["levels"].mutable_list_value()->add_values()->set_string_value("a half");
  EXPECT_EQ(FieldOf(PredictOptionsFromProto(proto).status()), "options.queries[1].options.levels");
}

// Beyond what an int holds is too many, not few.
TEST(PredictionTest, SamplesAreHeldWithinAnInt) {
  v1::PredictOptions proto;
  proto.set_samples(4'000'000'000U);
  EXPECT_GT(PredictOptionsFromProto(proto)->samples, 1'000'000);
}

TEST(EvaluationTest, ScoresKeepNameAndOrder) {
  Scores scores;
  scores.examples = 3;
  scores.Add("nll", 0.5);
  scores.Add("rmse", 0);
  v1::Scores proto;
  ScoresToProto(scores, &proto);
  EXPECT_EQ(proto.examples(), 3);
  ASSERT_EQ(proto.scores_size(), 2);
  EXPECT_EQ(proto.scores(0).name(), "nll");
  EXPECT_EQ(proto.scores(0).value(), 0.5);
  EXPECT_EQ(proto.scores(1).name(), "rmse");
}

}  // namespace
}  // namespace prequel::wire::prediction_test
