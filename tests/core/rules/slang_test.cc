// SLANG against its own equations, densely, and against the stationary points that theory gives it.
#include "core/rules/slang.h"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/random/lanes.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::slang_test {
namespace {

constexpr Index kInputs = 4;
constexpr Index kRows = 50;
constexpr double kNoise = 0.25;
constexpr double kPrior = 2;

using OptionMap = std::map<std::string, OptionValue>;

Matrix Precision(const LowRankGaussian& q) {
  return q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
}

Matrix Design(const Batch& batch) {  // D × B
  Matrix x(kInputs + 1, batch.inputs.cols());
  x << batch.inputs, Matrix::Ones(1, batch.inputs.cols());
  return x;
}

LearnerConfig Config(const std::string& likelihood, double rank, OptionMap options) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  if (likelihood == "gaussian") config.likelihood.options["noise"] = kNoise;
  config.prior.options["precision"] = kPrior;
  config.posterior = {"low_rank", {{"rank", rank}}};
  options.insert({"dataset_size", static_cast<double>(kRows)});
  config.rule = {"slang", std::move(options)};
  return config;
}

// q after `steps` steps on `batch`, and averages over the second half of them.
struct Outcome {
  LowRankGaussian last;
  Vector mean;
  Matrix precision;
};
Outcome StepOn(const LearnerConfig& config, const Batch& batch, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  Outcome run{{}, Vector::Zero(kInputs + 1), Matrix::Zero(kInputs + 1, kInputs + 1)};
  for (int t = 0; t < steps; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
    run.last = std::get<LowRankGaussian>(BeliefOf(state).posterior);
    if (t < steps / 2) continue;
    run.mean += run.last.mean / (steps - steps / 2);
    run.precision += Precision(run.last) / (steps - steps / 2);
  }
  return run;
}

// The Gauss–Newton curvature of linear-gaussian data is the same wherever it is taken.
TEST(Slang, AtFullRankIsStationaryAtTheExactPosterior) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(batch);
  const Matrix exact =
      x * x.transpose() / kNoise + kPrior * Matrix::Identity(kInputs + 1, kInputs + 1);
  const Vector mean = exact.llt().solve(x * batch.targets.transpose() / kNoise);
  const Outcome run =
      StepOn(Config("gaussian", kInputs + 1,
                    {{"curvature", std::string("ggn")}, {"schedule", std::string("constant")}}),
             batch, 8000);
  EXPECT_LT((Precision(run.last) - exact).cwiseAbs().maxCoeff(), 1e-8 * exact.norm());
  const Vector deviation = exact.diagonal().cwiseSqrt().cwiseInverse();
  EXPECT_LT((run.mean - mean).cwiseQuotient(deviation).cwiseAbs().maxCoeff(), 0.05);
}

// Whatever the rank, the diagonal of the precision is kept; and the decaying schedule gets there.
TEST(Slang, AtRankOneHasTheExactDiagonal) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(batch);
  const Vector exact = (x.rowwise().squaredNorm().array() / kNoise + kPrior).matrix();
  const Outcome constant =
      StepOn(Config("gaussian", 1,
                    {{"curvature", std::string("ggn")}, {"schedule", std::string("constant")}}),
             batch, 600);
  EXPECT_LT(
      (Precision(constant.last).diagonal() - exact).cwiseQuotient(exact).cwiseAbs().maxCoeff(),
      1e-8);
  const Outcome decaying = StepOn(
      Config("gaussian", 1, {{"curvature", std::string("ggn")}, {"beta", 0.5}}), batch, 1500);
  EXPECT_LT(
      (Precision(decaying.last).diagonal() - exact).cwiseQuotient(exact).cwiseAbs().maxCoeff(),
      1e-4);
}

// With the empirical Fisher Λ = δ + Σ_i x_i x_iᵀ E_q[r_i²]/R², E_q[r_i²] = (y_i − x_iᵀm)² +
// x_iᵀPx_i.
TEST(Slang, AtFullRankIsStationaryAtTheEmpiricalFisher) {
  const Batch batch = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(batch);
  const Outcome run = StepOn(
      Config("gaussian", kInputs + 1, {{"schedule", std::string("constant")}}), batch, 20000);
  const Matrix covariance = run.precision.inverse();
  Matrix expected = kPrior * Matrix::Identity(kInputs + 1, kInputs + 1);
  for (Index i = 0; i < kRows; ++i) {
    const double residual = batch.targets(0, i) - x.col(i).dot(run.mean);
    const double spread = x.col(i).dot(covariance * x.col(i));
    expected +=
        x.col(i) * x.col(i).transpose() * (residual * residual + spread) / (kNoise * kNoise);
  }
  // The mean goes about its average too, by α/2 or so of the posterior's spread.
  EXPECT_LT((run.precision - expected).norm() / expected.norm(), 0.03);
}

TEST(Slang, FirstStepIsTheDenseStep) {
  const Batch batch = LogisticBatch(kInputs, 20, 0);
  const double alpha = 0.3, beta = 0.2, start = 0.4;
  const LearnerConfig config =
      Config("bernoulli", 2, {{"alpha", alpha}, {"beta", beta}, {"initial_curvature", start}});
  const Outcome run = StepOn(config, batch, 1);

  LowRankGaussian q{{},
                    Vector::Zero(kInputs + 1),
                    Vector::Constant(kInputs + 1, kPrior + kRows * start),
                    Matrix::Zero(kInputs + 1, 2)};
  LowRankSampler sampler;
  ASSERT_TRUE(sampler.Prepare(q).ok());
  Vector theta;
  sampler.Draw(Stream{config.seed, 0, kRuleLane}, theta);
  const Matrix x = Design(batch);
  const Vector logits = x.transpose() * theta;
  const double scale = static_cast<double>(kRows) / 20;
  Vector gradient = Vector::Zero(kInputs + 1);
  Matrix fisher = Matrix::Zero(kInputs + 1, kInputs + 1);
  for (Index i = 0; i < 20; ++i) {
    const Vector g = x.col(i) * (batch.targets(0, i) - 1 / (1 + std::exp(-logits[i])));
    gradient -= scale * g;
    fisher += scale * g * g.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> pairs(beta * fisher);
  Matrix kept = Matrix::Zero(kInputs + 1, kInputs + 1);
  for (Index k = kInputs - 1; k <= kInputs; ++k) {
    kept += pairs.eigenvalues()[k] * pairs.eigenvectors().col(k) *
            pairs.eigenvectors().col(k).transpose();
  }
  Matrix precision = kept;
  precision.diagonal() += (1 - beta) * q.diagonal + (beta * fisher - kept).diagonal();
  precision.diagonal().array() += beta * kPrior;
  EXPECT_LT((Precision(run.last) - precision).cwiseAbs().maxCoeff(), 1e-10);
  const Vector mean = -alpha * precision.llt().solve(gradient);
  EXPECT_LT((run.last.mean - mean).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(Slang, RefusesWhatCannotWork) {
  const auto refused = [](const OptionMap& options) {
    const absl::StatusOr<Learner> learner = Learner::Create(Config("gaussian", 1, options));
    return learner.ok() ? "" : FieldOf(learner.status()).value_or("no field");
  };
  EXPECT_EQ(refused({}), "");
  EXPECT_EQ(refused({{"mode", std::string("recursive")}}), "config.rule.options.mode");
  EXPECT_EQ(refused({{"curvature", std::string("exact")}}), "config.rule.options.curvature");
  EXPECT_EQ(refused({{"schedule", std::string("fast")}}), "config.rule.options.schedule");
  EXPECT_EQ(refused({{"beta", 1.5}}), "config.rule.options.beta");
  EXPECT_EQ(refused({{"alpha", 0.0}}), "config.rule.options.alpha");
  EXPECT_EQ(refused({{"initial_curvature", -1.0}}), "config.rule.options.initial_curvature");
  EXPECT_EQ(refused({{"samples", 0.0}}), "config.rule.options.samples");
  LearnerConfig config = Config("gaussian", 1, {});
  config.rule.options.erase("dataset_size");
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.dataset_size");
}

}  // namespace
}  // namespace prequel::slang_test
