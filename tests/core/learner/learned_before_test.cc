// Rows that were learned before teach the weights and the noise again, and nothing else.
#include <gtest/gtest.h>

#include <utility>

#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "core/random/philox.h"
#include "tests/core/fold_once.h"
#include "tests/core/streams.h"

namespace prequel::learned_before_test {
namespace {

Batch Again(Batch batch) {
  batch.learned_before = true;
  return batch;
}

TEST(LearnedBefore, NothingIsScoredNorCalibrated) {
  for (const char* likelihood : {"gaussian", "bernoulli", "categorical", "poisson"}) {
    SCOPED_TRACE(likelihood);
    LearnerConfig config;
    config.features = {{.name = "x", .width = 3}};
    config.likelihood.name = likelihood;
    if (config.likelihood.name == "categorical") config.target.num_classes = 3;
    const Learner learner = *Learner::Create(config);
    Batch batch;
    batch.inputs.resize(3, 64);
    FillNormal({3, 0, 0}, batch.inputs);
    batch.targets = (batch.inputs.row(0).array() > 0.2).cast<double>();
    LearnerState state = FoldOnce(learner, learner.Initial(), batch);
    state = FoldOnce(learner, state, batch);
    const LearnerState next = FoldOnce(learner, state, Again(batch));
    EXPECT_EQ(next.examples, state.examples + 64);
    EXPECT_EQ(next.evaluation.unscored_rows, state.evaluation.unscored_rows + 64);
    EXPECT_EQ(next.evaluation.cumulative.weight(), state.evaluation.cumulative.weight());
    EXPECT_EQ(next.evaluation.cumulative.Average()["nll"],
              state.evaluation.cumulative.Average()["nll"]);
    EXPECT_EQ(next.calibration.intervals.shifts, state.calibration.intervals.shifts);
    EXPECT_EQ(next.calibration.classes.mean, state.calibration.classes.mean);
    ASSERT_EQ(next.beliefs.size(), state.beliefs.size());
    for (std::size_t k = 0; k < next.beliefs.size(); ++k) {
      EXPECT_EQ(next.beliefs[k].log_weight, state.beliefs[k].log_weight) << k;
    }
    const Vector& mean = MeanOf(next.beliefs.front().posterior);
    EXPECT_GT((mean - MeanOf(state.beliefs.front().posterior)).norm(), 0);
  }
}

// Two passes in which each row counts half are one in which it counts once.
TEST(LearnedBefore, TwoPassesByHalvesAreOneOfWholes) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options["noise"] = 0.3;
  const Learner learner = *Learner::Create(config);
  Batch batch;
  batch.inputs.resize(2, 40);
  FillNormal({4, 0, 0}, batch.inputs);
  batch.targets = batch.inputs.row(0) - 0.5 * batch.inputs.row(1);
  const LearnerState once = FoldOnce(learner, learner.Initial(), batch);
  batch.weights = Vector::Constant(40, 0.5);
  LearnerState twice = FoldOnce(learner, learner.Initial(), batch);
  twice = FoldOnce(learner, twice, Again(batch));
  EXPECT_LT((MeanOf(once.beliefs.front().posterior) - MeanOf(twice.beliefs.front().posterior))
                .cwiseAbs()
                .maxCoeff(),
            1e-12);
}

}  // namespace
}  // namespace prequel::learned_before_test
