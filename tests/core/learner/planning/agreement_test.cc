// Models that there may be, and that are not made any more.
#include "core/learner/planning/agreement.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/config/error.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel {
namespace {

// The first row is predicted by noise of which nothing is known but its prior.
TEST(CheckNew, RefusesNoiseOfWhichTheFirstPredictionHasNoCrps) {
  for (const double shape : {0.1, 0.5, 0.51, 1.5}) {
    LearnerConfig config = PlainConfig(2, "gaussian");
    config.likelihood.options["noise_shape"] = shape;
    const Learner learner = Learner::Create(config).value();
    LearnerState next;
    Scratch scratch;
    const absl::StatusOr<Learned> learned =
        learner.Update(learner.Initial(), LinearBatch(2, 1, 0), scratch, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    const absl::Status status = learner.CheckNew();
    EXPECT_EQ(status.ok(), std::isfinite(learned->scores["crps"])) << shape << ": " << status;
    if (status.ok()) continue;
    EXPECT_EQ(FieldOf(status), "config.likelihood.options.noise_shape");
  }
}

TEST(CheckNew, AsksNothingOfNoiseThatIsKnown) {
  LearnerConfig config = PlainConfig(2, "gaussian");
  config.likelihood.options = {{"noise", 1.0}, {"noise_shape", 0.1}};
  EXPECT_TRUE(Learner::Create(config).value().CheckNew().ok());
}

}  // namespace
}  // namespace prequel
