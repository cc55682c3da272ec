// LoFi and L-RVGA against the full recursion and the conjugate posterior, and over long runs.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::low_rank_rules_test {
namespace {

constexpr Index kInputs = 4;

LearnerState FoldAll(const Learner& learner, const std::string& likelihood, std::uint64_t count,
                     Index rows) {
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < count; ++t) {
    const absl::StatusOr<Learned> learned =
        learner.Update(state, BatchFor(likelihood, kInputs, rows, t), scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

Matrix Precision(const LowRankGaussian& q) {
  return q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
}
Matrix Covariance(const FullGaussian& q) { return q.covariance.selfadjointView<Eigen::Lower>(); }

class LowRankRule : public testing::TestWithParam<ComponentConfig> {
 protected:
  static LearnerConfig Config(const std::string& likelihood, double rank) {
    LearnerConfig config = PlainConfig(kInputs, likelihood);
    config.rule = GetParam();
    config.posterior = {"low_rank", {{"rank", rank}}};
    return config;
  }
};

TEST_P(LowRankRule, IsTheExplicitFullRecursionAtFullRank) {
  LearnerConfig config = Config("bernoulli", 1);
  config.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
  config.rule.options["expectation"] = std::string("linearized");
  config.posterior.options["rank"] = 19.0;  // D
  const Learner low = *Learner::Create(config);
  ASSERT_EQ(low.num_parameters(), 19);
  config.rule = {"rvga", {{"scheme", std::string("explicit")}}};
  config.posterior = {"full", {}};
  const LearnerState full_state = FoldAll(*Learner::Create(config), "bernoulli", 40, 7);
  const LearnerState low_state = FoldAll(low, "bernoulli", 40, 7);
  const auto& p = std::get<FullGaussian>(BeliefOf(full_state).posterior);
  const auto& q = std::get<LowRankGaussian>(BeliefOf(low_state).posterior);
  EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((Precision(q) * Covariance(p) - Matrix::Identity(19, 19)).cwiseAbs().maxCoeff(), 1e-8);
}

TEST_P(LowRankRule, IsTheConjugatePosteriorOfALinearModelAtFullRank) {
  for (const Index rows : {1, 3, 60}) {
    LearnerConfig config = Config("gaussian", kInputs + 1);
    config.likelihood.options["noise"] = 0.25;
    const LearnerState low_state = FoldAll(*Learner::Create(config), "gaussian", 10, rows);
    config.rule = {"conjugate", {}};
    config.posterior = {"full", {}};
    const LearnerState exact_state = FoldAll(*Learner::Create(config), "gaussian", 10, rows);
    const auto& p = std::get<FullGaussian>(BeliefOf(exact_state).posterior);
    const auto& q = std::get<LowRankGaussian>(BeliefOf(low_state).posterior);
    EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-9) << rows;
    EXPECT_LT((Precision(q).inverse() - Covariance(p)).cwiseAbs().maxCoeff(), 1e-9) << rows;
  }
}

// One minibatch moves the mean as the full posterior would, whatever the rank: the step is taken
// before anything is dropped.
TEST_P(LowRankRule, TakesTheStepBeforeItCompresses) {
  LearnerConfig config = Config("gaussian", 1);
  config.likelihood.options["noise"] = 0.25;
  const LearnerState low_state = FoldAll(*Learner::Create(config), "gaussian", 1, 20);
  config.rule = {"conjugate", {}};
  config.posterior = {"full", {}};
  const LearnerState exact_state = FoldAll(*Learner::Create(config), "gaussian", 1, 20);
  const auto& p = std::get<FullGaussian>(BeliefOf(exact_state).posterior);
  const auto& q = std::get<LowRankGaussian>(BeliefOf(low_state).posterior);
  EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_GT((Precision(q).inverse() - Covariance(p)).cwiseAbs().maxCoeff(), 1e-4);
}

TEST_P(LowRankRule, StaysPositiveDefiniteOverTenThousandRandomSteps) {
  LearnerConfig config = Config("bernoulli", 3);
  config.model = {"mlp", {{"hidden", std::vector<double>{4}}}};
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 10000; ++t) {
    Batch batch = LogisticBatch(kInputs, 1 + static_cast<Index>(t % 3), t);
    batch.inputs *= std::exp(3 * std::sin(static_cast<double>(t)));  // of very different leverage
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    ASSERT_TRUE(learned.ok()) << t << ": " << learned.status();
    std::swap(state, next);
    const auto& q = std::get<LowRankGaussian>(BeliefOf(state).posterior);
    ASSERT_TRUE(q.IsFinite()) << t;
    ASSERT_GT(q.diagonal.minCoeff(), 0) << t;
    if (t % 500 == 0) {
      ASSERT_EQ(Matrix(Precision(q)).llt().info(), Eigen::Success) << t;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rules, LowRankRule,
    testing::Values(ComponentConfig{"lofi", {{"variant", std::string("diagonal")}}},
                    ComponentConfig{"lofi", {{"variant", std::string("spherical")}}},
                    ComponentConfig{"lofi", {{"expectation", std::string("mean")}}},
                    ComponentConfig{"lrvga", {{"loops", 3.0}}}),
    [](const testing::TestParamInfo<ComponentConfig>& param) {
      return param.param.name + std::to_string(param.index);
    });

LearnerState AfterOne(const ComponentConfig& rule, Index rows) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.likelihood.options["noise"] = 0.25;
  config.posterior = {"low_rank", {{"rank", 2.0}}};
  config.rule = rule;
  return FoldAll(*Learner::Create(config), "gaussian", 1, rows);
}

TEST(Lofi, SphericalLeavesTheDiagonalAndDiagonalKeepsWhatIsDropped) {
  const Batch batch = BatchFor("gaussian", kInputs, 20, 0);
  Matrix x(kInputs + 1, 20);
  x << batch.inputs, Matrix::Ones(1, 20);
  const Vector exact = (x * x.transpose()).diagonal() / 0.25 + Vector::Ones(kInputs + 1);

  const LearnerState spherical = AfterOne({"lofi", {{"variant", std::string("spherical")}}}, 20);
  const auto& p = std::get<LowRankGaussian>(BeliefOf(spherical).posterior);
  EXPECT_EQ(p.diagonal, Vector::Ones(kInputs + 1));
  EXPECT_LT(Precision(p).diagonal().sum(), exact.sum() - 1);

  const LearnerState diagonal = AfterOne({"lofi", {}}, 20);
  const auto& q = std::get<LowRankGaussian>(BeliefOf(diagonal).posterior);
  EXPECT_LT((Precision(q).diagonal() - exact).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(q.factor, p.factor);
}

// The approximation that factor analysis looks for is the better one, in the divergence it lowers.
TEST(Lrvga, IsCloserToTheFullPrecisionThanLofi) {
  const Batch batch = BatchFor("gaussian", kInputs, 20, 0);
  Matrix x(kInputs + 1, 20);
  x << batch.inputs, Matrix::Ones(1, 20);
  const Matrix exact = x * x.transpose() / 0.25 + Matrix::Identity(kInputs + 1, kInputs + 1);
  const auto divergence = [&](const LearnerState& state) {
    const Matrix ratio =
        Precision(std::get<LowRankGaussian>(BeliefOf(state).posterior)).inverse() * exact;
    return 0.5 * (ratio.trace() - (kInputs + 1) - std::log(ratio.determinant()));
  };
  const double lofi = divergence(AfterOne({"lofi", {}}, 20));
  const double one = divergence(AfterOne({"lrvga", {{"loops", 1.0}}}, 20));
  const double many = divergence(AfterOne({"lrvga", {{"loops", 50.0}}}, 20));
  EXPECT_LT(one, lofi);
  EXPECT_LT(many, one);
}

TEST(LowRankRules, RefuseWhatCannotWork) {
  const auto field = [](const ComponentConfig& rule, const std::string& posterior) {
    LearnerConfig config = PlainConfig(kInputs, "gaussian");
    config.rule = rule;
    config.posterior.name = posterior;
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    return learner.ok() ? "" : FieldOf(learner.status()).value_or("no field");
  };
  EXPECT_EQ(field({"lofi", {}}, ""), "");
  EXPECT_EQ(field({"lofi", {}}, "full"), "config.rule");
  EXPECT_EQ(field({"lrvga", {}}, "diagonal"), "config.rule");
  EXPECT_EQ(field({"lofi", {{"variant", std::string("square")}}}, ""),
            "config.rule.options.variant");
  EXPECT_EQ(field({"lofi", {{"expectation", std::string("monte_carlo")}}}, ""),
            "config.rule.options.expectation");
  EXPECT_EQ(field({"lofi", {{"mode", std::string("dataset")}}}, ""), "config.rule.options.mode");
  EXPECT_EQ(field({"lrvga", {{"loops", 0.0}}}, ""), "config.rule.options.loops");
}

}  // namespace
}  // namespace prequel::low_rank_rules_test
