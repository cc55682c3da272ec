// von and iblr against the exact posterior of linear-gaussian data and the optimum that rvga, a
// different iteration, finds on logistic data.
#include "core/rules/newton_step.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::newton_step_test {
namespace {

using OptionMap = std::map<std::string, OptionValue>;

constexpr Index kInputs = 4;
constexpr Index kRows = 40;
constexpr double kNoise = 0.25;
constexpr double kPrior = 2;

LearnerConfig ConfigOf(const std::string& likelihood, const std::string& rule, OptionMap options) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  if (likelihood == "gaussian") config.likelihood.options["noise"] = kNoise;
  config.prior.options["precision"] = kPrior;
  config.rule = {rule, std::move(options)};
  return config;
}

OptionMap Dataset(OptionMap options) {
  options["mode"] = std::string("dataset");
  options["dataset_size"] = static_cast<double>(kRows);
  return options;
}

// `steps` times the same minibatch.
Posterior Learn(const LearnerConfig& config, const Batch& batch, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < steps; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return BeliefOf(state).posterior;
}

FullGaussian ExactPosterior(const Batch& batch) {
  Matrix x(batch.inputs.cols(), kInputs + 1);
  x.leftCols(kInputs) = batch.inputs.transpose();
  x.col(kInputs).setOnes();
  const Matrix precision =
      kPrior * Matrix::Identity(kInputs + 1, kInputs + 1) + x.transpose() * x / kNoise;
  const Eigen::LLT<Matrix> cholesky(precision);
  return {{},
          cholesky.solve(x.transpose() * batch.targets.transpose() / kNoise),
          cholesky.solve(Matrix::Identity(kInputs + 1, kInputs + 1))};
}

Matrix Inverse(const Matrix& a) { return a.llt().solve(Matrix::Identity(a.rows(), a.cols())); }

double Distance(const Posterior& a, const Posterior& b) {
  const auto& p = std::get<FullGaussian>(a);
  const auto& q = std::get<FullGaussian>(b);
  const Matrix difference = p.covariance - q.covariance;
  const Matrix lower = difference.triangularView<Eigen::Lower>();
  return std::max((p.mean - q.mean).cwiseAbs().maxCoeff(), lower.cwiseAbs().maxCoeff());
}

TEST(Von, OneWholeStepIsTheExactPosterior) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  for (const char* over : {"linearized", "mean"}) {
    const OptionMap options{{"beta", 1.0}, {"expectation", std::string(over)}};
    const Posterior whole = Learn(ConfigOf("gaussian", "von", Dataset(options)), batch, 1);
    EXPECT_LT(Distance(whole, ExactPosterior(batch)), 1e-9) << over;
  }
}

// Each minibatch is new data and counts once, however many passes run.
TEST(Von, RecursiveStepsAreTheExactPosteriorOfAllTheirData) {
  const Batch first = LinearBatch(kInputs, kRows, 0), second = LinearBatch(kInputs, 7, 1);
  Batch both;
  both.inputs.resize(kInputs, kRows + 7);
  both.targets.resize(1, kRows + 7);
  both.inputs << first.inputs, second.inputs;
  both.targets << first.targets, second.targets;
  for (const double passes : {1.0, 3.0}) {
    const Learner learner =
        *Learner::Create(ConfigOf("gaussian", "von", {{"beta", 1.0}, {"passes", passes}}));
    LearnerState once, twice;
    Scratch scratch;
    ASSERT_TRUE(learner.Update(learner.Initial(), first, scratch, once).ok());
    ASSERT_TRUE(learner.Update(once, second, scratch, twice).ok());
    EXPECT_LT(Distance(BeliefOf(twice).posterior, ExactPosterior(both)), 1e-9) << passes;
  }
}

TEST(Von, RecursiveStepsOfADiagonalPosteriorAddUp) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  LearnerConfig config = ConfigOf("gaussian", "von", {{"beta", 1.0}, {"passes", 1.0}});
  config.posterior.name = "diagonal";
  const Posterior q = Learn(config, batch, 3);
  Vector want = batch.inputs.cwiseAbs2().rowwise().sum() / kNoise;
  want.conservativeResize(kInputs + 1);
  want[kInputs] = kRows / kNoise;
  want = (3 * want.array() + kPrior).matrix();
  EXPECT_LT((std::get<DiagonalGaussian>(q).precision - want).cwiseAbs().maxCoeff(), 1e-9);
}

struct Stationary {
  std::string rule;
  OptionMap options;
};

// A deterministic step's fixed point is the maximum of the ELBO, which rvga's implicit scheme finds
// by another road.
TEST(NewtonStep, IsStationaryAtTheOptimumOfLogisticRegression) {
  const Batch batch = LogisticBatch(kInputs, kRows, 0);
  const OptionMap rvga{{"passes", 500.0}, {"tolerance", 1e-14}};
  for (const char* posterior : {"full", "diagonal"}) {
    LearnerConfig reference = ConfigOf("bernoulli", "rvga", rvga);
    reference.posterior.name = posterior;
    const Posterior want = Learn(reference, batch, 1);
    for (const char* rule : {"von", "iblr"}) {
      LearnerConfig config = ConfigOf("bernoulli", rule, Dataset({{"beta", 0.3}}));
      config.posterior.name = posterior;
      const Posterior dataset = Learn(config, batch, 300);
      config.rule.options = {{"beta", 0.3}, {"passes", 300.0}};
      const Posterior recursive = Learn(config, batch, 1);
      for (const Posterior* got : {&dataset, &recursive}) {
        if (std::string(posterior) == "full") {
          EXPECT_LT(Distance(*got, want), 2e-6) << rule;
          continue;
        }
        const auto& p = std::get<DiagonalGaussian>(*got);
        const auto& q = std::get<DiagonalGaussian>(want);
        EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 2e-6) << rule;
        EXPECT_LT((p.precision - q.precision).cwiseAbs().maxCoeff(), 2e-5) << rule;
      }
    }
  }
}

// Averages over the second half of a long run with draws.
TEST(NewtonStep, DrawsAverageToTheSameOptimum) {
  const Batch batch = LogisticBatch(kInputs, kRows, 0);
  const Posterior want =
      Learn(ConfigOf("bernoulli", "rvga", {{"passes", 500.0}, {"tolerance", 1e-14}}), batch, 1);
  const auto& exact = std::get<FullGaussian>(want);
  const Matrix want_covariance = exact.covariance.selfadjointView<Eigen::Lower>();
  const std::map<std::string, OptionMap> kinds = {
      {"von", {{"expectation", std::string("monte_carlo")}}},
      {"iblr", {{"curvature", std::string("reparameterized")}}}};
  for (const auto& [rule, options] : kinds) {
    OptionMap all = Dataset(options);
    all.insert({{"beta", 0.01}, {"samples", 4.0}});
    const Learner learner = *Learner::Create(ConfigOf("bernoulli", rule, all));
    LearnerState state = learner.Initial(), next;
    Scratch scratch;
    Vector mean = Vector::Zero(kInputs + 1);
    Matrix precision = Matrix::Zero(kInputs + 1, kInputs + 1);
    constexpr int kSteps = 8000;
    for (int t = 0; t < kSteps; ++t) {
      ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
      std::swap(state, next);
      if (t < kSteps / 2) continue;
      const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
      const Matrix covariance = q.covariance.selfadjointView<Eigen::Lower>();
      mean += q.mean / (kSteps / 2);
      precision += Inverse(covariance) / (kSteps / 2);
    }
    const Vector deviation = want_covariance.diagonal().cwiseSqrt();
    EXPECT_LT((mean - exact.mean).cwiseQuotient(deviation).cwiseAbs().maxCoeff(), 0.03) << rule;
    EXPECT_LT((precision * want_covariance - Matrix::Identity(kInputs + 1, kInputs + 1))
                  .cwiseAbs()
                  .maxCoeff(),
              0.05)
        << rule;
  }
}

// One step of von and of iblr, both posteriors, written out.
TEST(NewtonStep, OneStepIsItsFormula) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const Matrix wanted_precision = Inverse(ExactPosterior(batch).covariance);
  const Vector gradient = -(wanted_precision * ExactPosterior(batch).mean);  // at m = m₀ = 0
  const double beta = 0.6, initial = 0.7;
  const Matrix before = (kPrior + kRows * initial) * Matrix::Identity(kInputs + 1, kInputs + 1);
  const Matrix error = wanted_precision - before;
  for (const bool improved : {false, true}) {
    Matrix after = before + beta * error;
    if (improved) after += 0.5 * beta * beta * error * Inverse(before) * error;
    const LearnerConfig config =
        ConfigOf("gaussian", improved ? "iblr" : "von",
                 Dataset({{"beta", beta}, {"initial_curvature", initial}}));
    const Posterior q = Learn(config, batch, 1);
    const FullGaussian want{{}, -beta * after.llt().solve(gradient), Inverse(after)};
    EXPECT_LT(Distance(q, want), 1e-10) << improved;
  }
}

// Under N(0, 1e5) on the bias hardly any curvature is left to step by.
TEST(NewtonStep, FindsItsWayFromAVaguePrior) {
  const Batch batch = LogisticBatch(kInputs, kRows, 0);
  for (const char* posterior : {"full", "diagonal"}) {
    LearnerConfig config =
        ConfigOf("bernoulli", "rvga", {{"passes", 1000.0}, {"tolerance", 1e-14}});
    config.prior.options["bias_precision"] = 1e-5;
    config.posterior.name = posterior;
    const Posterior want = Learn(config, batch, 1);
    for (const char* rule : {"von", "iblr"}) {
      config.rule = {rule, Dataset({{"beta", 0.1}})};
      const Posterior got = Learn(config, batch, 600);
      const Vector& mean = std::visit([](const auto& q) -> const Vector& { return q.mean; }, got);
      const Vector& wanted =
          std::visit([](const auto& q) -> const Vector& { return q.mean; }, want);
      EXPECT_LT((mean - wanted).cwiseAbs().maxCoeff(), 1e-4) << rule << " " << posterior;
    }
  }
}

TEST(Iblr, ReparameterizedCurvatureNeedsDraws) {
  const absl::Status status =
      Learner::Create(ConfigOf("bernoulli", "iblr",
                               {{"curvature", std::string("reparameterized")},
                                {"expectation", std::string("mean")}}))
          .status();
  EXPECT_NE(status.message().find("must be \"monte_carlo\""), absl::string_view::npos) << status;
}

}  // namespace
}  // namespace prequel::newton_step_test
