// Rows that come in turn: each is predicted after the drift up to it, however many they are.
#include "core/learner/drifting/in_turn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/same_posterior.h"
#include "tests/core/streams.h"

namespace prequel::in_turn_test {
namespace {

// 300 rows are two tiles, and 511 two of which the last begins in the first.
TEST(InTurn, EveryRowIsPredictedAfterItsOwnDrift) {
  constexpr double kRate = 0.02, kCap = 5;
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise"] = 0.25;
  config.posterior.name = "full";
  config.dynamics = {"inflation", {{"rate", kRate}, {"cap", kCap}}};
  const Learner learner = Learner::Create(config).value();
  const QuerySet queries = learner.Ask({.queries = {{"logits", {}}}}).value();
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  const Vector prior = std::get<FullGaussian>(BeliefOf(state).posterior).covariance.diagonal();
  for (const Index rows : {3, 300, 511}) {
    const Batch batch = LinearBatch(2, rows, static_cast<std::uint64_t>(rows));
    Answer told;
    ASSERT_TRUE(learner.Update(state, batch, scratch, next, &queries, &told).ok());
    const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
    const Matrix covariance = q.covariance.selfadjointView<Eigen::Lower>();
    for (Index i = 0; i < rows; ++i) {
      Vector x(3);
      x << batch.inputs.col(i), 1;
      const double kept = std::exp(-kRate / kCap * static_cast<double>(i + 1));
      const double variance =
          kept * x.dot(covariance * x) + (1 - kept) * kCap * prior.dot(x.cwiseAbs2());
      ASSERT_NEAR(told["logit_mean"](0, i), q.mean.dot(x), 1e-12) << i;
      ASSERT_NEAR(told["logit_covariance"](0, i) / variance, 1, 1e-12) << i;
    }
    std::swap(state, next);
  }
}

// As one by one, with encodings that move with each minibatch, and once they have settled.
TEST(InTurn, AMinibatchIsLearnedAsItsRowsAre) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise"] = 0.25;
  config.posterior.name = "full";
  config.dynamics = {"inflation", {{"rate", 0.02}, {"cap", 5.0}}};
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial(), next, one_by_one, after;
  Scratch scratch;
  for (const Index rows : {40, 1000, 40}) {
    const Batch batch = LinearBatch(2, rows, static_cast<std::uint64_t>(rows));
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    one_by_one = state;
    for (Index i = 0; i < rows; ++i) {
      ASSERT_TRUE(learner.Update(one_by_one, RowsOf(batch, i, 1), scratch, after).ok());
      std::swap(one_by_one, after);
    }
    SCOPED_TRACE(rows);
    ExpectSamePosterior(next, one_by_one);
    std::swap(state, next);
  }
}

}  // namespace
}  // namespace prequel::in_turn_test
