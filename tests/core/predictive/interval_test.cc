#include <gtest/gtest.h>

#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::interval_test {
namespace {

using Numbers = std::vector<double>;

Answer Answered(const LearnerConfig& config, const std::vector<ComponentConfig>& queries) {
  const Learner learner = Learner::Create(config).value();
  Scratch scratch;
  Batch batch;
  batch.inputs = Normals(3, 5, 4);
  return Ask(learner, learner.Initial(), batch, scratch, {.queries = queries}).value();
}

// By row of the answer: target by target, level by level.
TEST(Interval, IsBetweenTwoQuantiles) {
  for (const char* likelihood : {"gaussian", "poisson"}) {
    LearnerConfig config = PlainConfig(3, likelihood);
    config.target.width = 2;
    const Answer answer =
        Answered(config, {{"interval", {{"levels", Numbers{0.5, 0.8}}}},
                          {"quantiles", {{"levels", Numbers{0.1, 0.25, 0.75, 0.9}}}}});
    const Matrix& lower = answer["lower"];
    const Matrix& upper = answer["upper"];
    const Matrix& quantiles = answer["quantiles"];
    ASSERT_EQ(answer.Find("lower")->shape, (std::vector<Index>{2, 2}));
    EXPECT_EQ(answer.Find("upper")->levels, (Numbers{0.5, 0.8}));
    for (Index t = 0; t < 2; ++t) {
      EXPECT_TRUE(lower.row(2 * t).isApprox(quantiles.row(4 * t + 1), 1e-12)) << likelihood;
      EXPECT_TRUE(lower.row(2 * t + 1).isApprox(quantiles.row(4 * t), 1e-12)) << likelihood;
      EXPECT_TRUE(upper.row(2 * t).isApprox(quantiles.row(4 * t + 2), 1e-12)) << likelihood;
      EXPECT_TRUE(upper.row(2 * t + 1).isApprox(quantiles.row(4 * t + 3), 1e-12)) << likelihood;
    }
  }
}

TEST(Interval, IsNotAnsweredUnasked) {
  EXPECT_EQ(Answered(PlainConfig(3, "gaussian"), {}).Find("lower"), nullptr);
}

TEST(Interval, RefusesWhatIsNoLevelAndNoValue) {
  const Learner values = Learner::Create(PlainConfig(3, "gaussian")).value();
  EXPECT_EQ(
      FieldOf(values.Ask({.queries = {{"interval", {{"levels", Numbers{0.5, 1}}}}}}).status()),
      "options.queries[0].options.levels[1]");
  const Learner classes = Learner::Create(PlainConfig(3, "bernoulli")).value();
  EXPECT_EQ(FieldOf(classes.Ask({.queries = {{"interval", {}}}}).status()),
            "options.queries[0].name");
}

}  // namespace
}  // namespace prequel::interval_test
