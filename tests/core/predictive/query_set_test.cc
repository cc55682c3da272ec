// Queries by name: what they are answered with, and which are refused.
#include "core/predictive/query_set.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::query_set_test {
namespace {

using Numbers = std::vector<double>;

Learner LearnerOf(const std::string& likelihood, Index outputs = 1) {
  LearnerConfig config = PlainConfig(3, likelihood);
  if (likelihood == "categorical") config.target.num_classes = 4;
  config.target.width = outputs;
  return *Learner::Create(config);
}

std::vector<std::string> NamesIn(const Answer& answer) {
  std::vector<std::string> names;
  for (const Output& output : answer.outputs) names.push_back(output.name);
  return names;
}

Answer Answered(const Learner& learner, const PredictOptions& options, Index rows = 5) {
  Scratch scratch;
  Batch batch;
  batch.inputs = Normals(3, rows, 4);
  const absl::StatusOr<Answer> answer = Ask(learner, learner.Initial(), batch, scratch, options);
  EXPECT_TRUE(answer.ok()) << answer.status();
  return answer.ok() ? *answer : Answer();
}

TEST(QuerySet, AnswersByDefaultWhatIsOfTheTarget) {
  EXPECT_EQ(
      NamesIn(Answered(LearnerOf("gaussian"), {})),
      (std::vector<std::string>{"mean", "epistemic_variance", "aleatoric_variance", "quantiles"}));
  EXPECT_EQ(NamesIn(Answered(LearnerOf("bernoulli"), {})),
            (std::vector<std::string>{"probabilities", "entropy", "aleatoric_entropy",
                                      "epistemic_entropy"}));
}

// Every output has a column per example and the size that its shape says.
TEST(QuerySet, OutputsHaveTheShapesThatTheySay) {
  const PredictOptions all{.queries = {{"logits", {}}, {"probabilities", {}}, {"entropy", {}}}};
  const Answer classes = Answered(LearnerOf("categorical"), all);
  EXPECT_EQ(classes.Find("logit_mean")->shape, (std::vector<Index>{4}));
  EXPECT_EQ(classes.Find("logit_covariance")->shape, (std::vector<Index>{4, 4}));
  EXPECT_EQ(classes.Find("probabilities")->shape, (std::vector<Index>{4}));
  EXPECT_TRUE(classes.Find("entropy")->shape.empty());
  const PredictOptions levels{.queries = {{"quantiles", {{"levels", Numbers{0.1, 0.9}}}}}};
  const Answer values = Answered(LearnerOf("gaussian", 2), levels);
  EXPECT_EQ(values.outputs[0].shape, (std::vector<Index>{2, 2}));
  EXPECT_EQ(values.outputs[0].levels, (Numbers{0.1, 0.9}));
  for (const Answer* answer : {&classes, &values}) {
    for (const Output& output : answer->outputs) {
      EXPECT_EQ(output.values.rows(), output.size()) << output.name;
      EXPECT_EQ(output.values.cols(), 5) << output.name;
      EXPECT_TRUE(output.values.allFinite()) << output.name;
    }
  }
  EXPECT_EQ(LearnerOf("categorical").Ask(all)->numbers_per_example(), 4 + 16 + 4 + 3);
}

TEST(QuerySet, WhatIsAskedTogetherIsWhatIsAskedAlone) {
  const Learner learner = LearnerOf("categorical");
  const Answer both = Answered(learner, {.queries = {{"entropy", {}}, {"probabilities", {}}}});
  EXPECT_EQ(both["probabilities"],
            Answered(learner, {.queries = {{"probabilities", {}}}})["probabilities"]);
  EXPECT_EQ(both["epistemic_entropy"],
            Answered(learner, {.queries = {{"entropy", {}}}})["epistemic_entropy"]);
}

// Beyond a tile of examples the columns go on.
TEST(QuerySet, ManyExamplesAreAnsweredInOrder) {
  const Learner learner = LearnerOf("gaussian");
  const Answer many = Answered(learner, {}, 600), few = Answered(learner, {}, 600);
  EXPECT_EQ(many["quantiles"], few["quantiles"]);
  Scratch scratch;
  Batch one;
  one.inputs = Normals(3, 600, 4).col(577);
  const absl::StatusOr<Answer> last = Ask(learner, learner.Initial(), one, scratch);
  ASSERT_TRUE(last.ok());
  for (const Output& output : last->outputs) {
    EXPECT_LT((output.values.col(0) - many[output.name].col(577)).cwiseAbs().maxCoeff(), 1e-12);
  }
}

TEST(QuerySet, RefusesWithTheField) {
  const auto refused = [](const std::string& likelihood, const PredictOptions& options) {
    const absl::Status status = LearnerOf(likelihood).Ask(options).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    return FieldOf(status).value_or("");
  };
  EXPECT_EQ(refused("gaussian", {.samples = -1}), "options.samples");
  EXPECT_EQ(refused("gaussian", {.samples = 10001}), "options.samples");
  EXPECT_EQ(refused("gaussian", {.queries = {{"median", {}}}}), "options.queries[0].name");
  EXPECT_EQ(refused("bernoulli", {.queries = {{"entropy", {}}, {"moments", {}}}}),
            "options.queries[1].name");
  EXPECT_EQ(refused("gaussian", {.queries = {{"probabilities", {}}}}), "options.queries[0].name");
  EXPECT_EQ(refused("gaussian", {.queries = {{"moments", {}}, {"moments", {}}}}),
            "options.queries[1].name");
  EXPECT_EQ(refused("gaussian", {.queries = {{"moments", {{"levels", 1.0}}}}}),
            "options.queries[0].options.levels");
  const std::vector<std::pair<Numbers, std::string>> levels = {{{}, ""},
                                                               {{0.0}, "[0]"},
                                                               {{1.0}, "[0]"},
                                                               {{0.5, 0.5}, "[1]"},
                                                               {{0.2, std::nan("")}, "[1]"},
                                                               {Numbers(100, 0.5), ""}};
  for (const auto& [wrong, place] : levels) {
    EXPECT_EQ(refused("gaussian", {.queries = {{"quantiles", {{"levels", wrong}}}}}),
              "options.queries[0].options.levels" + place);
  }
}

}  // namespace
}  // namespace prequel::query_set_test
