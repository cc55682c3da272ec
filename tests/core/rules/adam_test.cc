// Adam against its recursion, written out weight by weight.
#include "core/rules/adam.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::adam_test {
namespace {

constexpr Index kInputs = 3;
constexpr double kPrior = 4;
constexpr double kExamples = 200;

LearnerConfig LogisticConfig() {
  LearnerConfig config = PlainConfig(kInputs, "bernoulli");
  config.prior.options["precision"] = kPrior;
  config.rule = {"adam",
                 {{"mode", std::string("dataset")},
                  {"dataset_size", kExamples},
                  {"alpha", 0.05},
                  {"beta1", 0.8},
                  {"beta2", 0.95},
                  {"epsilon", 1e-3}}};
  return config;
}

TEST(Adam, FollowsItsRecursion) {
  const Learner learner = *Learner::Create(LogisticConfig());
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  double m[kInputs + 1] = {}, b[kInputs + 1] = {}, s[kInputs + 1] = {};
  for (int t = 1; t <= 20; ++t) {
    const Batch batch = LogisticBatch(kInputs, 5 + t, static_cast<std::uint64_t>(t));
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);

    double g[kInputs + 1] = {};
    for (Index i = 0; i < batch.rows(); ++i) {
      double f = m[kInputs];
      for (Index j = 0; j < kInputs; ++j) f += m[j] * batch.inputs(j, i);
      const double miss = 1 / (1 + std::exp(-f)) - batch.targets(0, i);
      for (Index j = 0; j <= kInputs; ++j) {
        g[j] += miss * (j < kInputs ? batch.inputs(j, i) : 1) / static_cast<double>(batch.rows());
      }
    }
    for (Index j = 0; j <= kInputs; ++j) {
      g[j] += kPrior / kExamples * m[j];
      b[j] = 0.8 * b[j] + 0.2 * g[j];
      s[j] = 0.95 * s[j] + 0.05 * g[j] * g[j];
      const double b_hat = b[j] / (1 - std::pow(0.8, t));
      const double s_hat = s[j] / (1 - std::pow(0.95, t));
      m[j] -= 0.05 * b_hat / (std::sqrt(s_hat) + 1e-3);
      EXPECT_NEAR(std::get<PointMass>(BeliefOf(state).posterior).mean[j], m[j], 1e-12)
          << "step " << t;
    }
  }
  EXPECT_EQ(StateOf<Adam>(std::as_const(BeliefOf(state).rule)).steps, 20);
}

TEST(Adam, FindsTheModeOfThePosterior) {
  const Batch batch = LogisticBatch(kInputs, 200, 1);
  LearnerConfig config = LogisticConfig();
  config.rule.options["alpha"] = 0.01;
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < 3000; ++t) {
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
  }
  const Vector& m = std::get<PointMass>(BeliefOf(state).posterior).mean;
  Vector gradient = kPrior * m;
  for (Index i = 0; i < batch.rows(); ++i) {
    Vector x(kInputs + 1);
    x << batch.inputs.col(i), 1;
    gradient += x * (1 / (1 + std::exp(-m.dot(x))) - batch.targets(0, i));
  }
  EXPECT_LT(gradient.cwiseAbs().maxCoeff(), 1e-4);
}

// g = 1e160 is a number, g² is none; the step, over √s, would be 0. Learned all the same, it would
// leave a state that no snapshot can bring back.
TEST(Adam, RejectsAMinibatchThatItsAveragesCannotHold) {
  LearnerConfig config = PlainConfig(1, "gaussian");
  config.likelihood.options["noise"] = 1e-60;
  config.rule = LogisticConfig().rule;
  const Learner learner = *Learner::Create(config);
  const LearnerState state = learner.Initial();
  LearnerState next;
  Scratch scratch;
  Batch batch;
  batch.inputs = Matrix::Ones(1, 1);
  batch.targets = Matrix::Constant(1, 1, 1e100);
  const absl::Status status = learner.Update(state, batch, scratch, next).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_NE(status.message().find("averages"), status.message().npos) << status;
  batch.targets.setOnes();
  ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
  EXPECT_TRUE(learner.DecodeState(learner.EncodeState(next)).ok());
}

}  // namespace
}  // namespace prequel::adam_test
