// Laplace's approximation against Newton's mode and finite differences of the log posterior.
#include "core/rules/laplace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/codec/state_codec.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/finite_difference.h"
#include "tests/core/streams.h"

namespace prequel::laplace_test {
namespace {

using Numbers = std::vector<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Index kInputs = 4;
constexpr Index kRows = 96;
constexpr double kPrecision = 0.5;

LearnerConfig Config(const std::string& likelihood, const std::string& posterior,
                     std::map<std::string, OptionValue> options) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  config.prior.options["precision"] = kPrecision;
  config.posterior.name = posterior;
  options["dataset_size"] = static_cast<double>(kRows);
  config.rule = {"laplace", std::move(options)};
  return config;
}

struct Course {
  LearnerState state;
  std::vector<StepReport> reports;
  std::vector<LearnerState> states;  // after each minibatch
};

// `passes` over `all`, in minibatches of `rows`.
Course Learn(const LearnerConfig& config, const Batch& all, Index rows, int passes) {
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  EXPECT_TRUE(learner.ok()) << learner.status();
  Course course;
  course.state = learner->Initial();
  LearnerState next;
  Scratch scratch;
  for (int pass = 0; pass < passes; ++pass) {
    for (Index first = 0; first < kRows; first += rows) {
      const absl::StatusOr<Learned> learned =
          learner->Update(course.state, RowsOf(all, first, rows), scratch, next);
      EXPECT_TRUE(learned.ok()) << learned.status();
      course.reports.push_back(learned->report);
      std::swap(course.state, next);
      course.states.push_back(course.state);
    }
  }
  return course;
}

double Difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

Matrix Inverse(const Matrix& m) { return m.llt().solve(Matrix::Identity(m.rows(), m.cols())); }

Matrix Design(const Batch& all) {  // B × D: inputs, then the bias
  Matrix x = Matrix::Ones(all.inputs.cols(), kInputs + 1);
  x.leftCols(kInputs) = all.inputs.transpose();
  return x;
}

Matrix Dense(const KroneckerGaussian::Layer& layer) {
  KroneckerCovariance p;
  layer.CovarianceTo(p);
  Matrix out(layer.size(), layer.size()), scratch;
  for (Index i = 0; i < layer.size(); ++i) {
    const Vector unit = Vector::Unit(layer.size(), i);
    Vector column(layer.size());
    p.Multiply(layer.WeightsIn(unit, 0), scratch,
               Eigen::Map<Matrix>(column.data(), layer.outputs(), layer.columns()));
    out.col(i) = column;
  }
  return out;
}

TEST(Laplace, OfALinearGaussianModelIsTheConjugatePosterior) {
  const Batch all = LinearBatch(kInputs, kRows, 0);
  const Matrix x = Design(all);
  const double noise = 0.25;
  const Matrix precision =
      kPrecision * Matrix::Identity(kInputs + 1, kInputs + 1) + x.transpose() * x / noise;
  const Vector mean = Inverse(precision) * (x.transpose() * all.targets.transpose() / noise);
  for (const Index rows : {kRows, Index{32}, Index{12}}) {
    LearnerConfig config = Config("gaussian", "full", {{"map_passes", 400.0}, {"alpha", 0.05}});
    config.likelihood.options["noise"] = noise;
    const Course course = Learn(config, all, rows, 401);
    const auto& q = std::get<FullGaussian>(BeliefOf(course.state).posterior);
    EXPECT_LT(Difference(q.mean, mean), rows == kRows ? 1e-6 : 2e-3);
    EXPECT_LT(Difference(Symmetric(q.covariance), Inverse(precision)), 1e-12);
    config.posterior.name = "diagonal";
    const Course diagonal = Learn(config, all, rows, 401);
    const auto& d = std::get<DiagonalGaussian>(BeliefOf(diagonal.state).posterior);
    EXPECT_EQ(d.mean, q.mean);
    EXPECT_LT(Difference(d.precision, precision.diagonal()), 1e-9);
    config.posterior.name = "kronecker";
    const Course kronecker = Learn(config, all, rows, 401);
    const auto& k = std::get<KroneckerGaussian>(BeliefOf(kronecker.state).posterior);
    EXPECT_EQ(k.mean, q.mean);
    EXPECT_LT(Difference(Dense(k.layers[0]), Inverse(precision)), 1e-12);
  }
}

// −log p(y | θ) − log p(θ) of logistic regression, up to a constant.
double Energy(const Matrix& x, const Matrix& targets, const Vector& theta) {
  double energy = 0.5 * kPrecision * theta.squaredNorm();
  for (Index i = 0; i < x.rows(); ++i) {
    const double f = x.row(i).dot(theta);
    energy += std::log1p(std::exp(-std::abs(f))) + std::max(f, 0.0) - targets(0, i) * f;
  }
  return energy;
}

TEST(Laplace, OfLogisticRegressionIsNewtonsModeAndTheHessianThere) {
  const Batch all = LogisticBatch(kInputs, kRows, 0);
  const Matrix x = Design(all);
  const auto gradient = [&](const Vector& theta) -> Matrix {
    const Vector p = 1 / (1 + (-(x * theta)).array().exp());
    return x.transpose() * (p - all.targets.transpose()) + kPrecision * theta;
  };
  Vector mode = Vector::Zero(kInputs + 1);
  for (int i = 0; i < 30; ++i) {
    mode -= NumericJacobian(gradient, mode, 1e-3).llt().solve(Vector(gradient(mode)));
  }
  const Course course = Learn(Config("bernoulli", "full", {{"map_steps", 3000.0}, {"alpha", 0.05}}),
                              all, kRows, 3001);
  const auto& q = std::get<FullGaussian>(BeliefOf(course.state).posterior);
  EXPECT_LT(Difference(q.mean, mode), 1e-6);
  // Second differences of the energy itself.
  constexpr double kStep = 1e-3;
  Matrix hessian(kInputs + 1, kInputs + 1);
  for (Index i = 0; i <= kInputs; ++i) {
    for (Index j = 0; j <= kInputs; ++j) {
      const auto at = [&](double a, double b) {
        Vector theta = q.mean;
        theta[i] += a * kStep;
        theta[j] += b * kStep;
        return Energy(x, all.targets, theta);
      };
      hessian(i, j) = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * kStep * kStep);
    }
  }
  EXPECT_LT(Difference(Inverse(Symmetric(q.covariance)), hessian), 1e-4 * hessian.norm());
}

TEST(Laplace, SaysItsPhaseAndMovesTheMeanInTheFirstAlone) {
  const Batch all = LogisticBatch(kInputs, kRows, 0);
  const Course course = Learn(Config("bernoulli", "full", {{"map_passes", 2.0}}), all, 32, 5);
  std::vector<std::string> phases;
  std::vector<bool> converged;
  for (const StepReport& report : course.reports) {
    phases.push_back(report.phase);
    converged.push_back(report.converged);
  }
  std::vector<std::string> expected(5, "map");
  expected.resize(15, "curvature");
  EXPECT_EQ(phases, expected);
  std::vector<bool> whole(8, false);
  whole.resize(15, true);
  EXPECT_EQ(converged, whole);
  const auto q = [&](std::size_t t) -> const FullGaussian& {
    return std::get<FullGaussian>(BeliefOf(course.states[t]).posterior);
  };
  EXPECT_NE(q(4).mean, q(5).mean);
  EXPECT_EQ(q(5).mean, q(14).mean);
  EXPECT_EQ(q(5).covariance, Matrix(Matrix::Identity(5, 5) / kPrecision));
  EXPECT_NE(q(6).covariance, q(5).covariance);
  // Every pass has the same curvature at that mean.
  EXPECT_LT(Difference(q(8).covariance, q(11).covariance), 1e-14);
  EXPECT_LT(Difference(q(8).covariance, q(14).covariance), 1e-14);
}

// Two predictions of the same state: by the mean until there is a curvature, then linearised.
TEST(Laplace, PredictsByItsMeanUntilThereIsACurvature) {
  const Batch all = LinearBatch(kInputs, kRows, 0);
  LearnerConfig config = Config("gaussian", "full", {{"map_steps", 2.0}});
  config.likelihood.options["noise"] = 0.25;
  const Learner learner = *Learner::Create(config);
  const Course course = Learn(config, all, 32, 1);
  Scratch scratch;
  const auto variance = [&](const LearnerState& state) {
    return (*Ask(learner, state, RowsOf(all, 0, 1), scratch))["epistemic_variance"](0, 0);
  };
  EXPECT_EQ(variance(learner.Initial()), 0);
  EXPECT_EQ(variance(course.states[1]), 0);
  const Vector x = Design(all).row(0);
  const auto& q = std::get<FullGaussian>(BeliefOf(course.states[2]).posterior);
  EXPECT_NEAR(variance(course.states[2]), x.dot(Symmetric(q.covariance) * x), 1e-12);
}

TEST(Laplace, OfASubnetworkChoosesByOnePassAndIsFullOverTheChosen) {
  const Batch all = BatchFor("categorical", kInputs, kRows, 0);
  LearnerConfig config = Config("categorical", "subnetwork", {{"map_passes", 3.0}});
  config.target.num_classes = 3;
  config.model = {"mlp", {{"hidden", Numbers{5}}}};
  config.posterior.options["size"] = 12.0;
  const Course course = Learn(config, all, 32, 5);
  std::vector<std::string> expected(8, "map");
  expected.resize(11, "choose");
  expected.resize(15, "curvature");
  std::vector<std::string> phases;
  for (const StepReport& report : course.reports) phases.push_back(report.phase);
  EXPECT_EQ(phases, expected);
  EXPECT_TRUE(course.reports.back().converged);
  EXPECT_FALSE(course.reports[13].converged);
  const auto& q = std::get<SubnetworkGaussian>(BeliefOf(course.state).posterior);

  config.posterior = {"diagonal", {}};
  const Course diagonal = Learn(config, all, 32, 4);
  const auto& d = std::get<DiagonalGaussian>(BeliefOf(diagonal.state).posterior);
  EXPECT_EQ(q.mean, d.mean);
  EXPECT_EQ(q.subset, LargestVariances(d.precision.cwiseInverse(), 12));
  EXPECT_NE(q.subset, LargestVariances(Vector::Ones(d.size()), 12));

  config.posterior = {"full", {}};
  const Course full = Learn(config, all, 32, 4);
  const auto& f = std::get<FullGaussian>(BeliefOf(full.state).posterior);
  const Matrix precision = Inverse(Symmetric(f.covariance));
  EXPECT_LT(Difference(Inverse(Symmetric(q.part.covariance)), precision(q.subset, q.subset)),
            1e-9 * precision.norm());
  EXPECT_EQ(q.part.mean, Vector(q.mean(q.subset)));
}

// Over several classes: D ⊗ I + (1/N) A ⊗ S of the rows' inputs and of their softmax curvatures,
// and made anew after minibatches 1, 2 and 4 of a phase and at the end of a pass alone.
TEST(Laplace, InKroneckerFormIsTheProductOfTheMeanFactors) {
  const Batch all = BatchFor("categorical", kInputs, kRows, 0);
  LearnerConfig config = Config("categorical", "kronecker", {{"map_steps", 6.0}});
  config.target.num_classes = 3;
  const Course course = Learn(config, all, 16, 2);
  const auto q = [&](std::size_t t) -> const KroneckerGaussian& {
    return std::get<KroneckerGaussian>(BeliefOf(course.states[t]).posterior);
  };
  const Matrix x = Design(all);
  const Eigen::Map<const Matrix> weights = q(11).layers[0].WeightsIn(q(11).mean, 0);
  Matrix s = Matrix::Zero(3, 3);
  for (Index i = 0; i < kRows; ++i) {
    Vector p = (weights * x.row(i).transpose()).array().exp();
    p /= p.sum();
    s += Matrix(p.asDiagonal()) - p * p.transpose();
  }
  const Matrix a = x.transpose() * x / kRows;
  Matrix precision = kPrecision * Matrix::Identity(15, 15);
  for (Index j = 0; j < 5; ++j) {
    for (Index k = 0; k < 5; ++k) precision.block(3 * j, 3 * k, 3, 3) += a(j, k) * s;
  }
  EXPECT_LT(Difference(Dense(q(11).layers[0]), Inverse(precision)), 1e-12);
  std::vector<bool> renewed;
  for (std::size_t t = 5; t < 11; ++t) {
    renewed.push_back(q(t).layers[0].input_values != q(t + 1).layers[0].input_values);
  }
  EXPECT_THAT(renewed, ElementsAre(true, true, false, true, false, true));
}

TEST(Laplace, RestartsBitIdenticallyFromEveryPhase) {
  const Batch all = LogisticBatch(kInputs, kRows, 0);
  for (const char* posterior : {"full", "diagonal", "subnetwork", "kronecker"}) {
    const LearnerConfig config = Config("bernoulli", posterior, {{"map_steps", 4.0}});
    const Learner learner = *Learner::Create(config);
    const Course course = Learn(config, all, 32, 4);
    for (std::size_t t = 0; t + 1 < course.states.size(); ++t) {
      const absl::StatusOr<LearnerState> state =
          learner.DecodeState(learner.EncodeState(course.states[t]));
      ASSERT_TRUE(state.ok()) << state.status();
      LearnerState next;
      Scratch scratch;
      const Batch batch = RowsOf(all, 32 * static_cast<Index>((t + 1) % 3), 32);
      ASSERT_TRUE(learner.Update(*state, batch, scratch, next).ok());
      EXPECT_EQ(learner.EncodeState(next), learner.EncodeState(course.states[t + 1])) << t;
    }
  }
}

// What it has gathered of the curvature is of the posterior and of the phase, or is not decoded.
TEST(Laplace, AStateOfAnotherPosteriorOrPhaseIsRefused) {
  const Batch all = BatchFor("bernoulli", kInputs, kRows, 0);
  for (const char* posterior : {"full", "diagonal", "subnetwork", "kronecker"}) {
    LearnerConfig config = Config("bernoulli", posterior, {{"map_steps", 1.0}});
    if (std::string(posterior) == "subnetwork") config.posterior.options["size"] = 2.0;
    const Problem problem = *Problem::Make(config);
    for (const LearnerState& state : Learn(config, all, kRows / 2, 3).states) {
      ASSERT_TRUE(DecodeState(problem, EncodeState(problem, state)).ok());
      const auto refused = [&](const auto& change) {
        LearnerState bad = state;
        change(StateOf<Laplace>(BeliefOf(bad).rule));
        return DecodeState(problem, EncodeState(problem, bad)).status().code();
      };
      EXPECT_EQ(refused([](LaplaceState& s) {
                  const bool none = s.diagonal.size() == 0;
                  s.diagonal = none ? Vector::Ones(kInputs + 1) : Vector();
                }),
                absl::StatusCode::kDataLoss);
      EXPECT_EQ(refused([](LaplaceState& s) {
                  if (!s.factors.empty()) return s.factors.pop_back();
                  s.factors.resize(1);
                }),
                absl::StatusCode::kDataLoss);
      EXPECT_EQ(refused([](LaplaceState& s) {
                  const Index size = s.curvature.rows() + 1;
                  s.curvature = Matrix::Identity(size, size);
                }),
                absl::StatusCode::kDataLoss);
    }
  }
}

TEST(Laplace, AStateThatNoneCouldLeaveIsUnsound) {
  LaplaceState state;
  EXPECT_TRUE(state.IsSound(3));
  state.curvature = Matrix::Identity(3, 3);
  state.diagonal = Vector::Ones(3);
  EXPECT_TRUE(state.IsSound(3));
  const auto unsound = [&](auto&& change) {
    LaplaceState bad = state;
    change(bad);
    return !bad.IsSound(3);
  };
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.phase = 3; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.phase = -1; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.steps = -1; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.phase_steps = 1; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.diagonal[1] = -1; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.phase_examples = INT64_MAX; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.curvature(1, 1) = -1; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.curvature(2, 1) = HUGE_VAL; }));
  EXPECT_TRUE(unsound([](LaplaceState& s) { s.adam.steps = 1; }));
}

TEST(Laplace, RefusesRecursiveModeAndTwoLengths) {
  LearnerConfig config = Config("bernoulli", "full", {{"map_steps", 4.0}, {"map_passes", 4.0}});
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.map_passes");
  config.rule.options = {{"mode", std::string("recursive")}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.rule.options.mode");
  config = Config("bernoulli", "low_rank", {});
  EXPECT_THAT(std::string(Learner::Create(config).status().message()),
              HasSubstr("\"laplace\", which keeps the curvature at the mode and cannot update "
                        "posterior \"low_rank\""));
}

}  // namespace
}  // namespace prequel::laplace_test
