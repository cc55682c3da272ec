// What was learned stays what it was when the units move: of rows in any order, of columns that
// trend, and after values that are wild.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::units_of_learners_test {
namespace {

LearnerConfig Static(Index inputs, double variance) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = inputs}};
  config.likelihood = {"gaussian", {{"noise", variance}}};
  config.dynamics.name = "static";
  config.posterior.name = "full";
  config.calibration.name = "none";
  return config;
}

// Columns far from 0, of unlike scales.
Batch Rows(Index inputs, Index count, double noise) {
  Batch batch;
  batch.inputs = Normals(inputs, count, 3);
  for (Index j = 0; j < inputs; ++j) {
    batch.inputs.row(j) *= std::pow(10.0, static_cast<double>(j - 1));
    batch.inputs.row(j).array() += 5.0 * static_cast<double>(j);
  }
  const Matrix weights = Normals(1, inputs, 4), errors = Normals(1, count, 5);
  batch.targets = weights * batch.inputs + noise * errors;
  batch.targets.array() += 100;
  return batch;
}

// Rows `order` of `all`, in minibatches of `sizes`, again and again.
LearnerState LearnedFrom(const Learner& learner, LearnerState state, const Batch& all,
                         const std::vector<Index>& order, const std::vector<Index>& sizes) {
  LearnerState next;
  Scratch scratch;
  const auto rows = static_cast<Index>(order.size());
  Index first = 0;
  for (std::size_t s = 0; first < rows; ++s) {
    const Index count = std::min(sizes[s % sizes.size()], rows - first);
    Batch batch;
    batch.inputs.resize(all.inputs.rows(), count);
    batch.targets.resize(1, count);
    for (Index i = 0; i < count; ++i) {
      const Index row = order[static_cast<std::size_t>(first + i)];
      batch.inputs.col(i) = all.inputs.col(row);
      batch.targets.col(i) = all.targets.col(row);
    }
    const auto learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    first += count;
  }
  return state;
}

LearnerState Learned(const Learner& learner, const Batch& all, const std::vector<Index>& order,
                     const std::vector<Index>& sizes) {
  return LearnedFrom(learner, learner.Initial(), all, order, sizes);
}

// What is said of these inputs: means, and deviations of what is not known of the weights.
struct Said {
  Matrix means, deviations;
};

Said AskOf(const Learner& learner, const LearnerState& state, const Matrix& inputs) {
  Batch batch;
  batch.inputs = inputs;
  Scratch scratch;
  const Answer answer = Ask(learner, state, batch, scratch).value();
  return {answer["mean"], answer["epistemic_variance"].cwiseSqrt()};
}

TEST(UnitsOfLearners, AnyOrderAndSplitLeadsToTheSamePosterior) {
  const Batch all = Rows(4, 400, 0.1);
  absl::StatusOr<Learner> learner = Learner::Create(Static(4, 0.01));
  ASSERT_TRUE(learner.ok()) << learner.status();
  std::vector<Index> order(400);
  std::iota(order.begin(), order.end(), Index{0});
  const Said expected = AskOf(*learner, Learned(*learner, all, order, {400}), all.inputs);
  std::mt19937 random(1);
  for (const std::vector<Index>& sizes :
       {std::vector<Index>{400}, {1}, {64}, {1, 2, 3, 50}, {2, 1, 1, 90}}) {
    std::shuffle(order.begin(), order.end(), random);
    const Said said = AskOf(*learner, Learned(*learner, all, order, sizes), all.inputs);
    for (Index i = 0; i < 400; ++i) {
      const double mean = expected.means(0, i), deviation = expected.deviations(0, i);
      EXPECT_NEAR(said.means(0, i), mean, 1e-9 * std::abs(mean));
      EXPECT_NEAR(said.deviations(0, i), deviation, 1e-9 * deviation);
    }
  }
}

// y = t/100 with t = 0, 1, 2, … in order: what was learned of early times is still known late.
TEST(UnitsOfLearners, ALineInTimeIsKnownFromItsBeginning) {
  Batch all;
  all.inputs = Eigen::RowVectorXd::LinSpaced(2000, 0, 1999);
  all.targets = all.inputs / 100 + 0.1 * Normals(1, 2000, 6);
  std::vector<Index> order(2000);
  std::iota(order.begin(), order.end(), Index{0});
  for (const char* dynamics : {"static", "adaptive"}) {
    LearnerConfig config = PlainConfig(1, "gaussian");
    config.dynamics.name = dynamics;
    config.posterior.name = "full";
    config.rule.name = "rvga";
    config.standardize_inputs = config.standardize_targets = Standardize::kRunning;
    absl::StatusOr<Learner> learner = Learner::Create(config);
    ASSERT_TRUE(learner.ok()) << learner.status();
    const LearnerState state = Learned(*learner, all, order, {64});
    const Matrix asked = Eigen::RowVector4d(0, 500, 1000, 1999);
    const Said said = AskOf(*learner, state, asked);
    for (Index i = 0; i < 4; ++i) EXPECT_NEAR(said.means(0, i), asked(0, i) / 100, 0.1) << dynamics;
  }
}

// One input of −9999 among 3,000 of N(0, 1), after 1,000 of them.
TEST(UnitsOfLearners, OneWildInputIsForgotten) {
  Batch all;
  all.inputs = Normals(3, 3000, 7);
  all.targets = 2 * all.inputs.row(0) - all.inputs.row(1) + 0.1 * Normals(1, 3000, 8);
  const Matrix asked = all.inputs.leftCols(200);
  all.inputs(0, 1005) = -9999;
  std::vector<Index> order(3000);
  std::iota(order.begin(), order.end(), Index{0});
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.dynamics.name = "adaptive";
  config.standardize_inputs = config.standardize_targets = Standardize::kRunning;
  absl::StatusOr<Learner> learner = Learner::Create(config);
  ASSERT_TRUE(learner.ok()) << learner.status();
  const Said said = AskOf(*learner, Learned(*learner, all, order, {32}), asked);
  const Matrix truth = 2 * asked.row(0) - asked.row(1);
  EXPECT_LT((said.means - truth).norm() / std::sqrt(200.0), 0.2);
}

// A restart, a rollback and a fork go on from bytes: while units move, and a column is met late.
TEST(UnitsOfLearners, BeliefsThatAreCarriedGoOnFromTheirBytesToTheBit) {
  Batch all = Rows(3, 240, 0.5);
  all.inputs.row(2).leftCols(40).setConstant(std::nan(""));
  all.inputs.row(2).rightCols(120) *= 1000;  // another unit
  std::vector<Index> order(240);
  std::iota(order.begin(), order.end(), Index{0});
  for (const std::string posterior : {"full", "diagonal", "block_diagonal", "low_rank"}) {
    for (const char* dynamics : {"static", "adaptive"}) {
      for (const char* model : {"linear", "mlp"}) {
        LearnerConfig config;
        config.features = {{.name = "x", .width = 3, .allow_missing = true}};
        config.likelihood.name = "gaussian";
        config.dynamics.name = dynamics;
        config.posterior.name = posterior;
        if (posterior == "low_rank") config.posterior.options["rank"] = 2.0;
        config.model.name = model;
        if (config.model.name == "mlp") config.model.options["hidden"] = std::vector<double>{4};
        const absl::StatusOr<Learner> learner = Learner::Create(config);
        ASSERT_TRUE(learner.ok()) << learner.status();
        LearnerState state = learner->Initial(), again = state;
        for (Index first = 0; first < 240; first += 30) {
          const std::vector<Index> rows(order.begin() + first, order.begin() + first + 30);
          state = LearnedFrom(*learner, std::move(state), all, rows, {7});
          again = LearnedFrom(*learner, std::move(again), all, rows, {7});
          const std::string bytes = learner->EncodeState(again);
          ASSERT_TRUE(bytes == learner->EncodeState(state)) << posterior << dynamics << model;
          absl::StatusOr<LearnerState> read = learner->DecodeState(bytes);
          ASSERT_TRUE(read.ok()) << read.status();
          again = *std::move(read);
        }
      }
    }
  }
}

// Shares of one whole, three of six given of each row, and a day that begins at 736,000: units move
// by a factor of 10⁵ when hardly anything was learned, and the columns that say what is missing
// have one sum. A posterior that is less sure than its prior by rounding grows without bound.
TEST(UnitsOfLearners, RowsWithGapsAndNumbersFarFromZeroStayLearned) {
  LearnerConfig config;
  for (const char* name : {"a", "b", "c", "d", "e", "day"}) {
    config.features.push_back({.name = name, .allow_missing = true});
  }
  config.likelihood.name = "gaussian";
  const Learner learner = Learner::Create(config).value();
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 random(seed);
    const Matrix normal = Normals(6, 150, seed);
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    for (Index t = 0; t < 150; ++t) {
      const double level = 44 - 0.02 * static_cast<double>(t) + 0.3 * normal(5, t);
      Batch batch;
      batch.inputs = (level + normal.col(t).array()).matrix();
      batch.inputs(5, 0) = 736389 + static_cast<double>(t);
      batch.targets = Matrix::Constant(1, 1, level);
      std::array<Index, 6> order = {0, 1, 2, 3, 4, 5};
      std::shuffle(order.begin(), order.end(), random);
      for (std::size_t i = 0; i < 3; ++i) batch.inputs(order[i], 0) = std::nan("");
      const auto learned = learner.Update(state, batch, scratch, next);
      ASSERT_TRUE(learned.ok()) << learned.status() << " of stream " << seed << ", row " << t;
      std::swap(state, next);
    }
    for (const Belief& belief : state.beliefs) {
      for (const double scale : belief.prior_scales) EXPECT_LT(scale, 1000) << seed;
    }
  }
}

}  // namespace
}  // namespace prequel::units_of_learners_test
