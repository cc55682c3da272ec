// Which class is predicted where several are equally probable: the first, in the scores as wherever
// an answer names one (client/cli/output/prediction_rows.cc).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::ties_test {
namespace {

constexpr Index kInputs = 2, kRows = 3;

// By likelihood and posterior. Under a prior of weights 0 the classes of a linear model differ by
// rounding at most, and not at all where the weights are a point.
class TiesTest : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(TiesTest, TheFirstOfTheMostProbableIsScored) {
  const auto [likelihood, posterior] = GetParam();
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  config.target.num_classes = 2;
  config.posterior.name = posterior;
  const bool exact = config.posterior.name == "point";
  if (exact) config.rule = {"adam", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  const Learner learner = *Learner::Create(config);
  const LearnerState fresh = learner.Initial();
  Scratch scratch;
  Batch batch;
  batch.inputs = Normals(kInputs, kRows, 1);
  for (const std::vector<ComponentConfig>& queries :
       {std::vector<ComponentConfig>{}, std::vector<ComponentConfig>{{"probabilities", {}}}}) {
    const absl::StatusOr<Answer> answer =
        learner.Predict(fresh, batch, *learner.Ask({.queries = queries}), scratch);
    ASSERT_TRUE(answer.ok()) << answer.status();
    const Matrix& p = (*answer)["probabilities"];
    EXPECT_TRUE(p.isApproxToConstant(0.5, exact ? 0 : 1e-12)) << p;
    for (const Index label : {0, 1}) {
      batch.targets.setConstant(1, kRows, static_cast<double>(label));
      double predicted = 0;
      for (Index row = 0; row < kRows; ++row) {
        const auto column = p.col(row);
        predicted += std::max_element(column.begin(), column.end()) - column.begin() == label;
      }
      LearnerState next;
      const absl::StatusOr<Learned> learned = learner.Update(fresh, batch, scratch, next);
      ASSERT_TRUE(learned.ok()) << learned.status();
      EXPECT_EQ(learned->scores["accuracy"], predicted / kRows) << label;
    }
    batch.targets.resize(0, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Likelihoods, TiesTest,
                         testing::Values(std::pair("bernoulli", "full"),
                                         std::pair("bernoulli", "point"),
                                         std::pair("categorical", "full"),
                                         std::pair("categorical", "point")));

}  // namespace
}  // namespace prequel::ties_test
