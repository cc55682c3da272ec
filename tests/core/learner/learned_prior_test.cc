// How wide the prior is, learned: beside the posterior in closed form, and of what no row has told.
#include "core/learner/carrying/prior_scales.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::learned_prior_test {
namespace {

LearnerState LearnedBy(const Learner& learner, const Batch& all, Index size) {
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (Index first = 0; first < all.rows(); first += size) {
    const Batch rows = RowsOf(all, first, std::min(size, all.rows() - first));
    const auto learned = learner.Update(state, rows, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

LearnerConfig Learned(Index inputs) {
  LearnerConfig config = PlainConfig(inputs, "gaussian");
  config.prior = {"isotropic", {{"scale", "learned"}}};
  return config;
}

// Weights of some ten deviations of the noise.
Batch Rows(Index inputs, Index rows) {
  Batch batch;
  batch.inputs = Normals(inputs, rows, 1);
  batch.targets = 2 * Normals(1, inputs, 2) * batch.inputs + 0.2 * Normals(1, rows, 3);
  return batch;
}

// Λ = XᵀX + Λ₀/κ, m = Λ⁻¹ Xᵀy, and the rate of the noise is what it was before any row and half of
// yᵀy − mᵀΛm: whatever the scale was on the way.
TEST(LearnedPrior, ThePosteriorIsThatOfAllRowsUnderThePriorOfTheScaleLearned) {
  const Batch all = Rows(5, 200);
  for (const Index size : {Index{1}, Index{7}, Index{200}}) {
    const Learner learner = Learner::Create(Learned(5)).value();
    const LearnerState first = learner.Initial();
    const LearnerState state = LearnedBy(learner, all, size);
    const Belief& belief = state.beliefs.front();
    if (size == 200) {  // found by the rows that come next
      EXPECT_EQ(belief.prior_scales.size(), 0);
      continue;
    }
    ASSERT_EQ(belief.prior_scales.size(), 1);
    EXPECT_GE(belief.prior_scales[0], 16);
    Matrix x(6, 200);
    x << all.inputs, Matrix::Ones(1, 200);
    Vector prior = Vector::Constant(6, 1 / belief.prior_scales[0]);
    prior[5] = 1;
    const Matrix precision = x * x.transpose() + Matrix(prior.asDiagonal());
    const Vector mean = precision.ldlt().solve(x * all.targets.transpose());
    EXPECT_LT((MeanOf(belief.posterior) - mean).norm(), 1e-9 * mean.norm()) << size;
    const auto& full = std::get<FullGaussian>(belief.posterior);
    const Matrix covariance = full.covariance.selfadjointView<Eigen::Lower>();
    EXPECT_LT((covariance * precision - Matrix::Identity(6, 6)).norm(), 1e-9) << size;
    const double squares = all.targets.squaredNorm() - mean.dot(precision * mean);
    EXPECT_NEAR(belief.noise.rate[0] - first.beliefs.front().noise.rate[0], 0.5 * squares,
                1e-6 * squares)
        << size;
  }
}

TEST(LearnedPrior, AScaleThatIsGivenStays) {
  const Batch all = Rows(5, 200);
  LearnerConfig config = Learned(5);
  config.prior = {"isotropic", {{"precision", 1.0}}};
  const Learner learner = Learner::Create(config).value();
  EXPECT_EQ(LearnedBy(learner, all, 10).beliefs.front().prior_scales.size(), 0);
}

TEST(LearnedPrior, IsRefusedWhereThereIsNoneAndIsNotTheDefaultThere) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.prior = {"isotropic", {{"scale", "learned"}}};
  const absl::Status status = Learner::Create(config).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "config.prior.options.scale");
  const auto scale = [](const char* likelihood) {
    LearnerConfig by_default;
    by_default.features = {{.name = "x", .width = 2}};
    by_default.likelihood.name = likelihood;
    const Learner learner = Learner::Create(by_default).value();
    return std::get<std::string>(learner.config().prior.options.at("scale"));
  };
  EXPECT_EQ(scale("gaussian"), "learned");
  EXPECT_EQ(scale("poisson"), "given");
}

// Effects N(0, 3²) of 30 categories and noise of deviation 0.5: one that was never seen is
// √(9 + 0.25) from the mean. Whether it drifts or stands.
TEST(LearnedPrior, ACategoryNeverSeenIsAsUnsureAsCategoriesDiffer) {
  const Matrix effects = 3 * Normals(1, 30, 5);
  const Matrix noise = 0.5 * Normals(1, 3000, 6);
  for (const std::string dynamics : {"static", "adaptive"}) {
    LearnerConfig config;
    config.features = {
        {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 64}};
    config.likelihood.name = "gaussian";
    config.dynamics.name = dynamics;
    const Learner learner = Learner::Create(config).value();
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (Index first = 0; first < 3000; first += 50) {
      Batch batch;
      batch.inputs.resize(0, 50);
      batch.targets.resize(1, 50);
      batch.text.resize(1);
      for (Index i = 0; i < 50; ++i) {
        const Index category = (first + i) * 7 % 30;
        batch.text[0].push_back(absl::StrCat("c", category));
        batch.targets(0, i) = effects(0, category) + noise(0, first + i);
      }
      ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
    }
    Batch asked;
    asked.inputs.resize(0, 1);
    asked.text = {{"never"}};
    const Answer answer = Ask(learner, state, asked, scratch).value();
    const double deviation =
        std::sqrt(answer["epistemic_variance"](0, 0) + answer["aleatoric_variance"](0, 0));
    const double of_effects = std::sqrt((effects.array() - effects.mean()).square().mean());
    EXPECT_GT(deviation, 0.75 * of_effects) << dynamics;
    EXPECT_LT(deviation, 1.6 * of_effects) << dynamics;
  }
}

}  // namespace
}  // namespace prequel::learned_prior_test
