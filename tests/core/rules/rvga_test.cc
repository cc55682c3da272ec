// The implicit scheme reaches the stationary point of the local ELBO; the closed form agrees.
#include "core/rules/rvga.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/rules/logistic_closed_form.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::rvga_test {
namespace {

LearnerState LearnOnce(const LearnerConfig& config, const Batch& batch, StepReport* report) {
  const Learner learner = *Learner::Create(config);
  LearnerState next;
  Scratch scratch;
  const absl::StatusOr<Learned> learned = learner.Update(learner.Initial(), batch, scratch, next);
  EXPECT_TRUE(learned.ok()) << learned.status();
  if (report != nullptr && learned.ok()) *report = learned->report;
  return next;
}

LearnerConfig MoonsConfig(double prior_variance) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.model = {"mlp", {{"hidden", std::vector<double>{12}}}};
  config.prior.options["precision"] = 1 / prior_variance;
  config.rule.name = "rvga";
  return config;
}

TEST(Rvga, ConvergedFixedPointDoesNotDependOnThePassCount) {
  LearnerConfig config = MoonsConfig(3);
  config.rule.options = {{"passes", 200.0}, {"tolerance", 1e-12}};
  StepReport report, longer_report;
  const LearnerState state = LearnOnce(config, MoonsBatch(1, 0), &report);
  EXPECT_TRUE(report.converged);
  EXPECT_LT(report.passes, 200);
  config.rule.options["passes"] = 1000.0;
  const LearnerState longer = LearnOnce(config, MoonsBatch(1, 0), &longer_report);
  EXPECT_EQ(report.passes, longer_report.passes);
  EXPECT_EQ(std::get<FullGaussian>(BeliefOf(state).posterior).mean,
            std::get<FullGaussian>(BeliefOf(longer).posterior).mean);
}

TEST(Rvga, EveryPassRaisesTheLocalElbo) {
  double previous = -1e300;
  for (const double passes : {1.0, 2.0, 3.0, 5.0, 8.0, 20.0}) {
    LearnerConfig config = MoonsConfig(10);
    config.rule.options = {{"passes", passes}, {"tolerance", 0.0}};
    StepReport report;
    LearnOnce(config, MoonsBatch(1, 0), &report);
    EXPECT_GE(report.local_elbo, previous - 1e-9);
    previous = report.local_elbo;
  }
}

// One row x = 1 and one weight of variance 400: with f ~ N(0, 400) the precision gains E σ′(f),
// which is near φ(0)/20 = 0.01995.
TEST(Rvga, AnExplicitStepUnderAWideLogitGainsItsCurvature) {
  LearnerConfig config = PlainConfig(1, "bernoulli");
  config.prior.options = {{"precision", 1.0 / 400}, {"bias_precision", 1e9}};
  config.rule = {"rvga", {{"scheme", std::string("explicit")}}};
  Batch batch;
  batch.inputs = batch.targets = Matrix::Ones(1, 1);
  const LearnerState state = LearnOnce(config, batch, nullptr);
  const double variance = std::get<FullGaussian>(BeliefOf(state).posterior).covariance(0, 0);
  EXPECT_NEAR(1 / variance - 1.0 / 400, 0.01987, 5e-6);
}

// A minibatch counts once however many passes run: the information added is that of the batch.
TEST(Rvga, PassesDoNotCompound) {
  const Batch batch = LogisticBatch(3, 50, 0);
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.rule = {"rvga", {{"passes", 1000.0}, {"tolerance", 0.0}}};
  const LearnerState state = LearnOnce(config, batch, nullptr);
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  const Matrix covariance = q.covariance.selfadjointView<Eigen::Lower>();
  const Matrix precision = covariance.llt().solve(Matrix::Identity(4, 4));
  // Logistic curvature is at most ¼ per example; the prior precision is 1.
  for (Index j = 0; j < 3; ++j) {
    EXPECT_LT(precision(j, j), 1 + 0.25 * batch.inputs.row(j).squaredNorm());
    EXPECT_GT(precision(j, j), 1.0);
  }
}

// At the stationary point m − m₀ = P₀ Σ E_q[r] x and Λ = Λ₀ + Σ E_q[σ'] x xᵀ under the new q.
TEST(Rvga, ImplicitLogisticSatisfiesItsEquations) {
  const Batch batch = LogisticBatch(3, 40, 0);
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.rule = {"rvga", {{"passes", 1000.0}, {"tolerance", 1e-14}}};
  const LearnerState state = LearnOnce(config, batch, nullptr);
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  const Matrix covariance = q.covariance.selfadjointView<Eigen::Lower>();

  Vector gradient = Vector::Zero(4);
  Matrix precision = Matrix::Identity(4, 4);
  for (Index i = 0; i < 40; ++i) {
    Vector x(4);
    x << batch.inputs.col(i), 1;
    const double mean = q.mean.dot(x), deviation = std::sqrt(x.dot(covariance * x));
    double expected = 0, slope = 0, total = 0;
    for (int k = -800; k <= 800; ++k) {  // a fine trapezoid over ±8 deviations
      const double z = 0.01 * k, weight = std::exp(-0.5 * z * z);
      const double p = 1 / (1 + std::exp(-(mean + deviation * z)));
      expected += weight * p;
      slope += weight * p * (1 - p);
      total += weight;
    }
    gradient += x * (batch.targets(0, i) - expected / total);
    precision += x * x.transpose() * (slope / total);
  }
  EXPECT_LT((q.mean - gradient).cwiseAbs().maxCoeff(), 1e-5);  // P₀ = I, m₀ = 0
  EXPECT_LT((covariance * precision - Matrix::Identity(4, 4)).cwiseAbs().maxCoeff(), 1e-5);
}

TEST(Rvga, MonteCarloApproachesTheLinearizedFitOfALinearModel) {
  const Batch batch = LogisticBatch(3, 40, 0);
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.rule = {"rvga", {{"passes", 50.0}, {"tolerance", 1e-8}}};
  const LearnerState exact = LearnOnce(config, batch, nullptr);
  config.rule.options["expectation"] = std::string("monte_carlo");
  config.rule.options["samples"] = 4000.0;
  const LearnerState sampled = LearnOnce(config, batch, nullptr);
  const auto& q = std::get<FullGaussian>(BeliefOf(exact).posterior);
  const auto& r = std::get<FullGaussian>(BeliefOf(sampled).posterior);
  EXPECT_LT((q.mean - r.mean).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((q.covariance.diagonal() - r.covariance.diagonal()).cwiseAbs().maxCoeff(), 0.02);
}

TEST(Rvga, RefusesOptionsThatCannotWork) {
  LearnerConfig config = MoonsConfig(1);
  for (const auto& [name, value] :
       std::map<std::string, OptionValue>{{"passes", 0.0},
                                          {"passes", 1.5},
                                          {"samples", 3.0},
                                          {"tolerance", -1.0},
                                          {"scheme", std::string("sideways")},
                                          {"expectation", 3.0},
                                          {"no_such", 1.0}}) {
    config.rule.options = {{name, value}};
    const absl::StatusOr<Learner> learner = Learner::Create(config);
    ASSERT_FALSE(learner.ok()) << name;
    EXPECT_EQ(FieldOf(learner.status()), "config.rule.options." + name);
  }
  config.rule.options = {{"expectation", std::string("closed_form")}};
  EXPECT_FALSE(Learner::Create(config).ok());
}

TEST(LogisticRoot, SolvesItsTwoEquations) {
  for (const double a0 : {-30.0, -2.0, 0.0, 0.7, 50.0}) {
    for (const double nu0 : {1e-6, 0.3, 4.0, 1000.0}) {
      for (const double y : {0.0, 1.0}) {
        const LogisticRoot root = SolveLogisticRoot(a0, nu0, y);
        const double p = 1 / (1 + std::exp(-root.k * root.a));
        EXPECT_NEAR(root.a + nu0 * p, a0 + nu0 * y, 1e-9 * (1 + std::abs(a0) + nu0));
        EXPECT_NEAR(root.nu * (1 + nu0 * root.k * p * (1 - p)), nu0, 1e-9 * (1 + nu0));
      }
    }
  }
}

TEST(LogisticClosedForm, AgreesWithTheQuadratureFitOfOneExample) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.rule = {"rvga", {{"passes", 200.0}, {"tolerance", 1e-12}}};
  const Batch batch = LogisticBatch(3, 1, 0);
  const LearnerState quadrature = LearnOnce(config, batch, nullptr);
  config.rule.options = {{"expectation", std::string("closed_form")}};
  const LearnerState closed = LearnOnce(config, batch, nullptr);
  const auto& q = std::get<FullGaussian>(BeliefOf(quadrature).posterior);
  const auto& r = std::get<FullGaussian>(BeliefOf(closed).posterior);
  // The closed form replaces the logistic by a probit, good to about a hundredth.
  EXPECT_LT((q.mean - r.mean).cwiseAbs().maxCoeff(), 0.03);
  EXPECT_LT((q.covariance.diagonal() - r.covariance.diagonal()).cwiseAbs().maxCoeff(), 0.05);
}

}  // namespace
}  // namespace prequel::rvga_test
