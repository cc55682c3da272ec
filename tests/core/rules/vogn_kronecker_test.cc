// vogn and ogn on the posterior in Kronecker form: exact where the problem is of that form, and
// their recursion, written out densely, where it is not.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/rules/vogn.h"
#include "tests/core/belief_of.h"
#include "tests/core/dense_kronecker.h"
#include "tests/core/finite_difference.h"
#include "tests/core/rules/stationary.h"
#include "tests/core/streams.h"

namespace prequel::vogn_kronecker_test {
namespace {

constexpr Index kInputs = 4, kOutputs = 3, kRows = 50, kColumns = kInputs + 1;
constexpr double kNoise = 0.25, kPrior = 2, kBiasPrior = 0.7;

Matrix Inverse(const Matrix& a) { return a.llt().solve(Matrix::Identity(a.rows(), a.cols())); }

// Three outputs of a linear model with gaussian noise.
Batch ThreeOutputs(std::uint64_t step) {
  Batch batch;
  batch.inputs = Normals(kInputs, kRows, 1, step);
  batch.targets = Normals(kOutputs, kInputs, 2) * batch.inputs + 0.5 * Normals(3, kRows, 3, step);
  return batch;
}

Matrix Augmented(const Batch& batch) {  // ã of every row
  Matrix x = Matrix::Ones(kColumns, batch.inputs.cols());
  x.topRows(kInputs) = batch.inputs;
  return x;
}

LearnerConfig ConfigOf(const std::string& rule, OptionMap options) {
  LearnerConfig config = PlainConfig(kInputs, "gaussian");
  config.target.width = kOutputs;
  config.likelihood.options["noise"] = kNoise;
  config.prior.options["precision"] = kPrior;
  config.prior.options["bias_precision"] = kBiasPrior;
  config.posterior.name = "kronecker";
  options["mode"] = std::string("dataset");
  options["dataset_size"] = static_cast<double>(kRows);
  config.rule = {rule, std::move(options)};
  return config;
}

KroneckerGaussian After(const LearnerConfig& config, const Batch& batch, int steps) {
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < steps; ++t) {
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return std::get<KroneckerGaussian>(BeliefOf(state).posterior);
}

// The curvature of a linear layer with gaussian likelihood is (Σ ã ãᵀ) ⊗ R⁻¹, so that one Newton
// step is the conjugate posterior, biases and all; in dataset mode more steps change nothing.
TEST(OgnKronecker, IsTheConjugatePosteriorOfALinearModel) {
  const Batch batch = ThreeOutputs(0);
  LearnerConfig config =
      ConfigOf("ogn", {{"curvature", std::string("ggn")}, {"alpha", 1.0}, {"beta1", 0.0}});
  const Matrix x = Augmented(batch);
  const Vector prior =
      (Vector(kColumns) << Vector::Constant(kInputs, kPrior), kBiasPrior).finished();
  const Matrix precision = Matrix(prior.asDiagonal()) + x * x.transpose() / kNoise;
  const Matrix mean = batch.targets * x.transpose() / kNoise * Inverse(precision);  // [W b]
  for (const int steps : {1, 3}) {
    const KroneckerGaussian q = After(config, batch, steps);
    EXPECT_LT(RelativeError(q.mean, mean.reshaped()), 1e-12) << steps;
    EXPECT_LT(RelativeError(Covariance(q),
                            Kron(Inverse(precision), Matrix::Identity(kOutputs, kOutputs))),
              1e-12);
  }

  config.posterior.name = "full";
  config.rule = {"conjugate", {}};
  const Learner full = *Learner::Create(config);
  LearnerState state;
  Scratch scratch;
  ASSERT_TRUE(full.Update(full.Initial(), batch, scratch, state).ok());
  const auto& p = std::get<FullGaussian>(BeliefOf(state).posterior);
  const KroneckerGaussian q =
      After(ConfigOf("ogn", {{"curvature", std::string("ggn")}, {"alpha", 1.0}, {"beta1", 0.0}}),
            batch, 1);
  EXPECT_LT(RelativeError(q.mean, p.mean), 1e-9);
  EXPECT_LT(RelativeError(Covariance(q), FromLower(p.covariance)), 1e-9);
}

// Minibatches that the data are drawn into, not all of them at once: A's average is theirs.
TEST(OgnKronecker, AveragesTheCurvatureOfMinibatches) {
  const Batch batch = ThreeOutputs(0);
  const Learner learner = *Learner::Create(
      ConfigOf("ogn", {{"curvature", std::string("ggn")}, {"alpha", 0.01}, {"beta2", 0.999}}));
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < 10000; ++t) {
    ASSERT_TRUE(learner.Update(state, RowsOf(batch, 5 * (t % 10), 5), scratch, next).ok());
    std::swap(state, next);
  }
  const auto& q = std::get<KroneckerGaussian>(BeliefOf(state).posterior);
  const Matrix x = Augmented(batch);
  Matrix precision = x * x.transpose() / kNoise;
  precision.diagonal().head(kInputs).array() += kPrior;
  precision(kInputs, kInputs) += kBiasPrior;
  const Matrix mean = batch.targets * x.transpose() / kNoise * Inverse(precision);
  const Vector deviation = Covariance(q).diagonal().cwiseSqrt();
  EXPECT_LT((q.mean - mean.reshaped()).cwiseQuotient(deviation).cwiseAbs().maxCoeff(), 0.05);
  EXPECT_LT(
      RelativeError(Covariance(q), Kron(Inverse(precision), Matrix::Identity(kOutputs, kOutputs))),
      0.01);
}

// Every option at work, for four steps, against dense algebra on the definition
//   Λ = (N/τ) [A ⊗ S + (τ D/N + γ) ⊗ I].
class Recursion : public testing::TestWithParam<std::string> {};

TEST_P(Recursion, IsItsDefinition) {
  const bool ggn = GetParam() == "ggn";
  const LearnerConfig config = ConfigOf("vogn", {{"curvature", GetParam()},
                                                 {"alpha", 0.3},
                                                 {"beta1", 0.8},
                                                 {"beta2", 0.7},
                                                 {"damping", 0.05},
                                                 {"temperature", 0.5},
                                                 {"warm_up", 2.0},
                                                 {"augmentation", 3.0},
                                                 {"samples", 2.0},
                                                 {"schedule", std::string("cosine")},
                                                 {"schedule_steps", 5.0}});
  const Learner learner = *Learner::Create(config);
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  const double examples = 3.0 * kRows;
  const Matrix identity = Matrix::Identity(kOutputs, kOutputs);
  const Vector prior =
      (Vector(kColumns) << Vector::Constant(kInputs, kPrior), kBiasPrior).finished();
  const Vector delta0 = Kron(prior.asDiagonal(), identity).diagonal();
  Matrix a, s;
  Vector b = Vector::Zero(kColumns * kOutputs), m = b;
  for (int t = 0; t < 4; ++t) {
    const Batch batch = ThreeOutputs(static_cast<std::uint64_t>(t));
    const Matrix x = Augmented(batch);
    KroneckerSampler sampler;
    ASSERT_TRUE(sampler.Prepare(std::get<KroneckerGaussian>(BeliefOf(state).posterior)).ok());
    Vector gradient = Vector::Zero(m.size()), theta;
    Matrix fisher = Matrix::Zero(kOutputs, kOutputs);
    for (std::uint32_t k = 0; k < 2; ++k) {
      sampler.Draw(Stream{config.seed, static_cast<std::uint64_t>(t), 0x0100'0000 + k}, theta);
      const Eigen::Map<const Matrix> weights(theta.data(), kOutputs, kColumns);
      const Matrix residual = (weights * x - batch.targets) / kNoise;
      gradient += (residual * x.transpose()).reshaped() / (2.0 * kRows);
      fisher += residual * residual.transpose() / (2.0 * kRows);
    }
    const Matrix a_new = x * x.transpose() / kRows;
    const Matrix s_new = ggn ? Matrix(identity / kNoise) : fisher;
    const double kept = t == 0 ? 0 : t == 1 ? 1.0 / 2 : t == 2 ? 2.0 / 3 : 0.7;
    a = t == 0 ? a_new : Matrix(kept * a + (1 - kept) * a_new);
    s = t == 0 ? s_new : Matrix(kept * s + (1 - kept) * s_new);
    const double tau = 0.5 * (t == 0 ? 0.1 : t == 1 ? 0.55 : 1.0);
    const Vector delta = tau / examples * delta0;
    b = 0.8 * b + 0.2 * (gradient + delta.cwiseProduct(m));
    const Matrix damped = Kron(a, s) + Matrix((delta.array() + 0.05).matrix().asDiagonal());
    const double alpha = 0.3 * 0.5 * (1 + std::cos(std::numbers::pi * t / 5));
    m -= alpha / (1 - std::pow(0.8, t + 1)) * damped.llt().solve(b);

    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
    const auto& q = std::get<KroneckerGaussian>(BeliefOf(state).posterior);
    EXPECT_LT(RelativeError(q.mean, m), 1e-11) << t;
    EXPECT_LT(RelativeError(Covariance(q), tau / examples * Inverse(damped)), 1e-11) << t;
  }
}

INSTANTIATE_TEST_SUITE_P(Curvatures, Recursion, testing::Values("ggn", "empirical_fisher"),
                         [](const auto& test) { return test.param; });

// A model of one weight is of every form: the diagonal's recursion, draw by draw.
TEST(VognKronecker, IsTheDiagonalOneForOneWeight) {
  LearnerConfig config = ConfigOf("vogn", {{"curvature", std::string("ggn")},
                                           {"alpha", 0.2},
                                           {"beta2", 0.5},
                                           {"temperature", 2.0},
                                           {"damping", 0.01},
                                           {"warm_up", 3.0}});
  config.features[0].width = 1;
  config.target.width = 1;
  config.model.options["bias"] = false;
  const Learner kronecker = *Learner::Create(config);
  config.posterior.name = "diagonal";
  const Learner diagonal = *Learner::Create(config);
  LearnerState p = kronecker.Initial(), q = diagonal.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 10; ++t) {
    const Batch batch = LinearBatch(1, 8, t);
    const absl::StatusOr<Learned> first = kronecker.Update(p, batch, scratch, next);
    ASSERT_TRUE(first.ok()) << first.status();
    std::swap(p, next);
    const absl::StatusOr<Learned> second = diagonal.Update(q, batch, scratch, next);
    ASSERT_TRUE(second.ok()) << second.status();
    std::swap(q, next);
    EXPECT_NEAR(first->scores["nll"], second->scores["nll"], 1e-10);
    EXPECT_NEAR(first->report.kl, second->report.kl, 1e-10 * (1 + second->report.kl));
    const auto& got = std::get<KroneckerGaussian>(BeliefOf(p).posterior);
    const auto& want = std::get<DiagonalGaussian>(BeliefOf(q).posterior);
    EXPECT_NEAR(got.mean[0], want.mean[0], 1e-12);
    EXPECT_NEAR(Covariance(got)(0, 0) * want.precision[0], 1, 1e-12);
  }
}

// Between refreshes Λ stays, and m goes on. While τ rises every step is a refresh, and so are those
// that double what A and S are averages of.
TEST(VognKronecker, RefreshesThePrecisionWhenItIsTold) {
  const Learner learner =
      *Learner::Create(ConfigOf("vogn", {{"refresh", 5.0}, {"warm_up", 3.0}, {"beta2", 0.9}}));
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 18; ++t) {
    ASSERT_TRUE(learner.Update(state, ThreeOutputs(t), scratch, next).ok());
    const auto& before = std::get<KroneckerGaussian>(BeliefOf(state).posterior);
    const auto& after = std::get<KroneckerGaussian>(BeliefOf(next).posterior);
    const double change = RelativeError(Covariance(after), Covariance(before));
    if (t <= 5 || t == 8 || t == 16 || t % 5 == 0) {
      EXPECT_GT(change, 1e-6) << t;
    } else {
      EXPECT_EQ(change, 0) << t;
    }
    EXPECT_GT(RelativeError(after.mean, before.mean), 1e-6) << t;
    std::swap(state, next);
  }
}

TEST(VognKronecker, RefusesWhatCannotWork) {
  LearnerConfig config = ConfigOf("vogn", {});
  config.rule.options = {{"mode", std::string("recursive")}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.mode");
  config.rule.name = "ogn";
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.mode");
  config = ConfigOf("vogn", {{"refresh", 2.0}});
  EXPECT_TRUE(Learner::Create(config).ok());
  config.posterior.name = "diagonal";
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.refresh");
  config.posterior.name = "kronecker";
  config.rule = {"rvga", {}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule");
}

// A state that is another family's or another network's, as a forged file could hold, is refused.
TEST(VognKronecker, DecodesOnlyAStateOfItsLayers) {
  for (const char* posterior : {"kronecker", "diagonal"}) {
    LearnerConfig config = ConfigOf("vogn", {});
    config.posterior.name = posterior;
    const Learner learner = *Learner::Create(config);
    LearnerState state;
    Scratch scratch;
    ASSERT_TRUE(learner.Update(learner.Initial(), ThreeOutputs(0), scratch, state).ok());
    ASSERT_TRUE(learner.DecodeState(learner.EncodeState(state)).ok());
    const auto refuses = [&](auto spoil) {
      LearnerState spoiled = state;
      spoil(StateOf<Vogn>(BeliefOf(spoiled).rule));
      return learner.DecodeState(learner.EncodeState(spoiled)).status().code() ==
             absl::StatusCode::kDataLoss;
    };
    if (posterior == std::string("diagonal")) {
      EXPECT_TRUE(refuses([](Vogn::State& s) { s.curvature.resize(0); }));
      EXPECT_TRUE(refuses([](Vogn::State& s) { s.factors.resize(1); }));
      continue;
    }
    EXPECT_TRUE(refuses([](Vogn::State& s) { s.factors.clear(); }));
    EXPECT_TRUE(refuses([](Vogn::State& s) { s.factors[0].inputs = Matrix::Identity(2, 2); }));
    EXPECT_TRUE(refuses([](Vogn::State& s) { s.factors[0].cotangents(0, 0) = std::nan(""); }));
    EXPECT_TRUE(refuses([](Vogn::State& s) { s.curvature = s.momentum.cwiseAbs(); }));
  }
}

}  // namespace
}  // namespace prequel::vogn_kronecker_test
