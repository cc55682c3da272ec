// The last target again, as one hypothesis of dynamics that mix.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/learner/problem.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::persistence_test {
namespace {

using Numbers = std::vector<double>;

LearnerConfig ConfigOf(const std::string& likelihood, bool persistence,
                       ComponentConfig dynamics = {"adaptive", {}}) {
  LearnerConfig config = PlainConfig(3, likelihood);
  if (likelihood == "categorical") config.target.num_classes = 3;
  config.dynamics = std::move(dynamics);
  config.dynamics.options["persistence"] = persistence;
  return config;
}

// Inputs that say nothing; a label that changes one time in `every`, or a value that wanders.
Batch LaggingRow(const std::string& likelihood, std::uint64_t t, double every, const Batch& last) {
  Batch row;
  row.inputs = Normals(3, 1, 1, t);
  row.targets = last.targets.size() == 0 ? Matrix(Matrix::Zero(1, 1)) : last.targets;
  Vector u(1);
  FillUniform(Stream{6, t, 0}, u);
  if (likelihood == "gaussian") {
    row.targets += 0.3 * Normals(1, 1, 5, t);
  } else if (u[0] * every < 1) {
    row.targets(0, 0) = std::fmod(row.targets(0, 0) + 1, likelihood == "categorical" ? 3 : 2);
  }
  return row;
}

LearnerState Fold(const Learner& learner, LearnerState state, std::uint64_t first,
                  std::uint64_t rows, double every) {
  LearnerState next;
  Scratch scratch;
  Batch row;
  for (std::uint64_t t = 0; t < first + rows; ++t) {
    row = LaggingRow(learner.config().likelihood.name, t, every, row);
    if (t < first) continue;
    const absl::StatusOr<Learned> learned = learner.Update(state, row, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

double NllOf(const std::string& likelihood, bool persistence, double every) {
  const Learner learner = Learner::Create(ConfigOf(likelihood, persistence)).value();
  return Fold(learner, learner.Initial(), 0, 600, every).evaluation.cumulative.Average()["nll"];
}

// Of a belief that stands still beside it, the mean is w₀ f̂ + w₁ y_last; and of labels
// p = w₀ p₀ + w₁ (kept + 1)/(judged + 2).
TEST(Persistence, IsOneMoreMemberOfTheMixture) {
  for (const std::string likelihood : {"gaussian", "bernoulli"}) {
    const ComponentConfig one{"adaptive", {{"rates", Numbers{0}}}};
    const Learner both = Learner::Create(ConfigOf(likelihood, true, one)).value();
    const Learner alone = Learner::Create(PlainConfig(3, likelihood)).value();
    constexpr std::uint64_t kRows = 9;
    const LearnerState mixed = Fold(both, both.Initial(), 0, kRows, 3);
    const LearnerState still = Fold(alone, alone.Initial(), 0, kRows, 3);
    Batch query;
    query.inputs = Normals(3, 2, 8);
    Scratch scratch;
    const bool classes = likelihood == "bernoulli";
    const char* output = classes ? "probabilities" : "mean";
    const Answer answer = Ask(both, mixed, query, scratch).value();
    const Answer own = Ask(alone, still, query, scratch).value();
    Vector weights(2);
    Mixing::Weights(mixed.mixing, weights);
    EXPECT_GT(weights[1], 0.01);
    const ReferenceState& last = mixed.references;
    for (Index i = 0; i < 2; ++i) {
      double of_last = last.last[0];
      if (classes) {
        const double again = (last.kept + 1) / (last.judged + 2);
        of_last = last.last[0] == 0 ? again : 1 - again;  // of class 0
      }
      EXPECT_NEAR(answer[output](0, i), weights[0] * own[output](0, i) + weights[1] * of_last, 1e-9)
          << likelihood;
    }
  }
}

TEST(Persistence, ServesWhereTargetsResembleTheLast) {
  for (const std::string likelihood : {"bernoulli", "categorical"}) {
    EXPECT_LT(NllOf(likelihood, true, 20), NllOf(likelihood, false, 20)) << likelihood;
  }
  // Where nothing is believed of the intercept but that it stands still, it is all there is.
  const ComponentConfig one{"adaptive", {{"rates", Numbers{0}}}};
  for (const std::string likelihood : {"bernoulli", "categorical", "gaussian"}) {
    const Learner learner = Learner::Create(ConfigOf(likelihood, true, one)).value();
    const LearnerState state = Fold(learner, learner.Initial(), 0, 400, 20);
    Vector weights(2);
    Mixing::Weights(state.mixing, weights);
    EXPECT_GT(weights[1], 0.6) << likelihood;
    const double last = state.evaluation.last.cumulative.Average()["nll"];
    EXPECT_LT(state.evaluation.cumulative.Average()["nll"], last + 0.05) << likelihood;
  }
}

// Labels that come by chance: the hypothesis costs what finding out costs.
TEST(Persistence, CostsLittleWhereTheyDoNot) {
  EXPECT_LT(NllOf("bernoulli", true, 2), NllOf("bernoulli", false, 2) + 0.01);
  EXPECT_LT(NllOf("categorical", true, 1.5), NllOf("categorical", false, 1.5) + 0.01);
}

// Also beside restarts, tracks of the noise and scales of the prior.
TEST(Persistence, GoesOnFromItsBytesToTheBit) {
  for (const std::string likelihood : {"gaussian", "bernoulli", "categorical"}) {
    for (const std::string model : {"linear", "mlp"}) {
      LearnerConfig config = ConfigOf(likelihood, true);
      config.model.name = model;
      if (model == "mlp") config.model.options["hidden"] = Numbers{4};
      config.standardize_targets = Standardize::kDefault;
      const Learner learner = Learner::Create(config).value();
      const LearnerState half = Fold(learner, learner.Initial(), 0, 20, 5);
      const absl::StatusOr<LearnerState> read = learner.DecodeState(learner.EncodeState(half));
      ASSERT_TRUE(read.ok()) << read.status() << likelihood << model;
      EXPECT_TRUE(learner.EncodeState(Fold(learner, half, 20, 20, 5)) ==
                  learner.EncodeState(Fold(learner, *read, 20, 20, 5)));
    }
  }
}

TEST(Persistence, IsOffUnlessAskedForAndNotOfCounts) {
  const Learner learner = Learner::Create(ConfigOf("gaussian", false)).value();
  const Learner unsaid = Learner::Create([] {
                           LearnerConfig config = ConfigOf("gaussian", false);
                           config.dynamics.options.erase("persistence");
                           return config;
                         }())
                             .value();
  EXPECT_EQ(unsaid.config(), learner.config());
  for (const std::string likelihood : {"poisson", "negative_binomial"}) {
    EXPECT_EQ(FieldOf(Learner::Create(ConfigOf(likelihood, true)).status()),
              "config.dynamics.options.persistence");
  }
}

}  // namespace
}  // namespace prequel::persistence_test
