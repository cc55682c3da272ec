// The posterior per unit against dense algebra, the full one, and exact inference.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <tuple>
#include <vector>

#include "core/archive/archive.h"
#include "core/config/field_error.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "tests/core/belief_of.h"
#include "tests/core/configured.h"
#include "tests/core/finite_difference.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"
#include "tests/core/weighted_jacobian.h"

namespace prequel::per_unit_test {
namespace {

constexpr Index kInputs = 4;
const Layers kNetwork = {{0, kInputs, 6, true}, {30, 6, 3, true}};
const Layers kLinear = {{0, kInputs, 3, true}};
const Layers kNoBias = {{0, kInputs, 3, false}};

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }
Matrix Inverse(const Matrix& a) { return a.llt().solve(Matrix::Identity(a.rows(), a.cols())); }
double LogDeterminant(const Matrix& a) {
  return 2 * a.llt().matrixLLT().diagonal().array().log().sum();
}

PerUnitGaussian RandomUnits(const Layers& layers) {
  PerUnitGaussian q = Configured<PerUnitGaussian>({"per_unit", {}}, layers);
  q.mean = 0.3 * Normals(NumParams(layers), 1, 11);
  std::uint64_t seed = 0;
  for (auto& unit : q.units) {
    const Matrix root = Normals(unit.size(), unit.size() + 5, 12, ++seed);
    unit.covariance = root * root.transpose() / static_cast<double>(unit.size());
  }
  return q;
}

// The unit that weight `k` of θ leads to, by the layout that layer.h documents.
Index UnitOf(const Layers& layers, Index k) {
  Index first = 0;
  for (const DenseLayer& layer : layers) {
    if (k < layer.offset + layer.size()) return first + layer.PlaceOf(k).output;
    first += layer.outputs;
  }
  return -1;
}

// Its place among the weights into that unit: by inputs, then the bias.
Index PlaceInUnit(const Layers& layers, Index k) {
  for (const DenseLayer& layer : layers) {
    if (k >= layer.offset + layer.size()) continue;
    const DenseLayer::Place place = layer.PlaceOf(k);
    return place.is_bias() ? layer.inputs : place.input;
  }
  return -1;
}

Matrix Covariance(const PerUnitGaussian& q) {
  Matrix dense = Matrix::Zero(q.size(), q.size());
  for (Index a = 0; a < q.size(); ++a) {
    for (Index b = 0; b < q.size(); ++b) {
      const Index unit = UnitOf(q.layers, a);
      if (unit != UnitOf(q.layers, b)) continue;
      const Matrix& own = q.units[static_cast<std::size_t>(unit)].covariance;
      dense(a, b) = Symmetric(own)(PlaceInUnit(q.layers, a), PlaceInUnit(q.layers, b));
    }
  }
  return dense;
}

// With zeros where weights into different units meet.
Matrix OfUnits(const Matrix& dense, const Layers& layers) {
  Matrix out = dense;
  for (Index a = 0; a < dense.rows(); ++a) {
    for (Index b = 0; b < dense.cols(); ++b) {
      if (UnitOf(layers, a) != UnitOf(layers, b)) out(a, b) = 0;
    }
  }
  return out;
}

// Three classes, two curvature columns a row.
class PerUnitFit : public testing::TestWithParam<std::tuple<Layers, Index, bool>> {
 protected:
  PerUnitFit() : prior_(RandomUnits(std::get<Layers>(GetParam()))) {
    const auto& [layers, rows, draws] = GetParam();
    if (layers.size() > 1) {
      model_ = Configured<Mlp>({"mlp", {{"hidden", std::vector<double>{6}}}}, kInputs, Index{3});
    } else {
      model_ = Configured<Linear>({"linear", {{"bias", layers[0].has_bias}}}, kInputs, Index{3});
    }
    TargetConfig target;
    target.num_classes = 3;
    likelihood_ = Configured<Categorical>({"categorical", {}}, target);
    batch_ = BatchFor("categorical", kInputs, rows, 1);
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    EXPECT_TRUE(fit_.Begin(prior_, 2 * rows, draws).ok());
  }

  // One round from `covariance`, of q as it stands, checked against dense algebra; leaves its
  // next covariance.
  void RoundAgainstDense(double rho, Matrix& covariance) {
    const Matrix prior_precision = Inverse(Covariance(prior_));
    const Vector offset = fit_.mean() - prior_.mean;
    expansion_.Linearize(fit_.mean());
    fit_.Project(expansion_);
    Matrix jacobian;
    expansion_.Jacobian(jacobian);
    for (Index i = 0; i < expansion_.examples(); ++i) {
      const Matrix j = jacobian.middleCols(3 * i, 3);
      EXPECT_LT(RelativeError(expansion_.moments().covariance.middleCols(3 * i, 3),
                              j.transpose() * covariance * j),
                1e-9);
    }
    expansion_.Expect(Expectation::kLinearized);
    fit_.StartCurve();
    fit_.AddCurve(expansion_, 1.0);
    ASSERT_TRUE(fit_.SolveCurve().ok());
    fit_.Move(rho);

    const Matrix root = WeightedJacobian(expansion_);
    const Matrix next = prior_precision + OfUnits(root * root.transpose(), prior_.layers);
    covariance = Inverse(next);
    const Vector gradient = jacobian * expansion_.local().score.reshaped();
    const Vector moved = offset + rho * covariance * (gradient - prior_precision * offset);
    EXPECT_LT(RelativeError(fit_.mean() - prior_.mean, moved), 1e-9);
    const double mean_kl = 0.5 * moved.dot(prior_precision * moved);
    const double kl = mean_kl + 0.5 * ((prior_precision * covariance).trace() -
                                       static_cast<double>(prior_.size()) + LogDeterminant(next) -
                                       LogDeterminant(prior_precision));
    EXPECT_NEAR(fit_.mean_kl(), mean_kl, 1e-9 * (1 + mean_kl));
    EXPECT_NEAR(fit_.kl(), kl, 1e-8 * (1 + kl));
  }

  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  PerUnitGaussian prior_;
  LocalPerUnit fit_;
};

TEST_P(PerUnitFit, RoundsAreTheUnitsOfTheDenseStep) {
  Matrix covariance = Covariance(prior_);
  RoundAgainstDense(0.5, covariance);
  fit_.Accept();
  RoundAgainstDense(1.0, covariance);
  fit_.Accept();
  const Vector mean = fit_.mean();
  const double kl = fit_.kl();
  Matrix dropped = covariance;
  RoundAgainstDense(0.3, dropped);
  fit_.KeepCurve();
  fit_.Move(0);
  EXPECT_LT(RelativeError(fit_.mean(), mean), 1e-14);
  EXPECT_NEAR(fit_.kl(), kl, 1e-9 * (1 + kl));
  fit_.Move(0.7);
  EXPECT_GT(RelativeError(fit_.mean(), mean), 1e-6);
  fit_.Revert();
  EXPECT_LT(RelativeError(fit_.mean(), mean), 1e-14);

  PerUnitGaussian next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  EXPECT_EQ(next.mean, fit_.mean());
  EXPECT_LT(RelativeError(Covariance(next), covariance), 1e-9);
}

// What was attached in one minibatch says nothing of the next.
TEST_P(PerUnitFit, BeginsAfresh) {
  Matrix covariance = Covariance(prior_);
  RoundAgainstDense(1.0, covariance);
  fit_.Accept();
  PerUnitGaussian next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  prior_ = next;
  const auto& [layers, rows, draws] = GetParam();
  ASSERT_TRUE(fit_.Begin(prior_, 2 * rows, draws).ok());
  RoundAgainstDense(1.0, covariance);
}

// The fit's own draws, which the Monte Carlo expectation is over: antithetic, of the new curvature.
TEST_P(PerUnitFit, DrawsHaveTheMomentsOfTheFit) {
  ASSERT_TRUE(fit_.Begin(prior_, 2 * std::get<Index>(GetParam()), true).ok());
  Matrix covariance = Covariance(prior_);
  RoundAgainstDense(1.0, covariance);
  fit_.Accept();
  constexpr int kPairs = 20000;
  Vector theta, sum = Vector::Zero(prior_.size());
  Matrix second = Matrix::Zero(prior_.size(), prior_.size());
  for (int k = 0; k < kPairs; ++k) {
    for (const bool negate : {false, true}) {
      fit_.Draw(Stream{1, 0, static_cast<std::uint32_t>(k)}, negate, theta);
      const Vector deviation = theta - fit_.mean();
      sum += deviation;
      second += deviation * deviation.transpose() / (2 * kPairs);
    }
  }
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-8);
  EXPECT_LT((second - covariance).cwiseAbs().maxCoeff(), 0.05 * covariance.diagonal().maxCoeff());
}

// Fewer rows than weights of a unit, between those of the layers' units, and more.
INSTANTIATE_TEST_SUITE_P(Forms, PerUnitFit,
                         testing::Combine(testing::Values(kNetwork, kLinear, kNoBias),
                                          testing::Values(Index{1}, Index{4}, Index{6}, Index{40}),
                                          testing::Bool()));

struct Learned2 {
  PerUnitGaussian per_unit;
  FullGaussian full;
  double per_unit_nll = 0, full_nll = 0;
};

Learned2 LearnBoth(LearnerConfig config, const std::string& likelihood, Index outputs) {
  config.posterior.name = "full";
  const Learner full = *Learner::Create(config);
  config.posterior.name = "per_unit";
  const Learner units = *Learner::Create(config);
  LearnerState full_state = full.Initial(), unit_state = units.Initial(), next;
  Scratch scratch;
  for (std::uint64_t t = 0; t < 6; ++t) {
    Batch batch = BatchFor(likelihood, 3, 1 + 5 * static_cast<Index>(t % 4), t);
    if (outputs > 1) {
      const Matrix one = batch.targets;
      batch.targets = Normals(outputs, 1, 21) * one + Normals(outputs, one.cols(), 22, t);
    }
    EXPECT_TRUE(full.Update(full_state, batch, scratch, next).ok());
    std::swap(full_state, next);
    EXPECT_TRUE(units.Update(unit_state, batch, scratch, next).ok());
    std::swap(unit_state, next);
  }
  return {std::get<PerUnitGaussian>(BeliefOf(unit_state).posterior),
          std::get<FullGaussian>(BeliefOf(full_state).posterior),
          unit_state.evaluation.cumulative.Average()["nll"],
          full_state.evaluation.cumulative.Average()["nll"]};
}

void ExpectEqual(const Learned2& both) {
  EXPECT_LT(RelativeError(both.per_unit.mean, both.full.mean), 1e-9);
  EXPECT_LT(RelativeError(Covariance(both.per_unit), Symmetric(both.full.covariance)), 1e-9);
  EXPECT_NEAR(both.per_unit_nll, both.full_nll, 1e-9);
}

// A linear model of one output has one unit.
TEST(PerUnitLearner, IsTheFullLearnerOfOneUnit) {
  for (const char* likelihood : {"gaussian", "bernoulli", "poisson"}) {
    for (const char* over : {"linearized", "mean", "monte_carlo"}) {
      SCOPED_TRACE(std::string(likelihood) + over);
      LearnerConfig config = PlainConfig(3, likelihood);
      if (std::string(likelihood) == "gaussian") config.likelihood.options["noise"] = 0.25;
      config.rule = {"rvga", {{"expectation", std::string(over)}}};
      ExpectEqual(LearnBoth(config, likelihood, 1));
    }
  }
}

// Nothing couples the outputs of a linear model with independent noise: nothing is lost.
TEST(PerUnitLearner, IsTheFullLearnerOfIndependentOutputs) {
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.likelihood.options["noise"] = 0.25;
  config.target.width = 3;
  ExpectEqual(LearnBoth(config, "gaussian", 3));
}

TEST(PerUnitSampler, HasTheMomentsOfThePosterior) {
  const PerUnitGaussian q = RandomUnits({{0, 2, 2, true}, {6, 2, 1, true}});
  const SampledMoments drawn = MomentsOfDraws<PerUnitSampler>(q);
  EXPECT_LT((drawn.mean - q.mean).cwiseAbs().maxCoeff(), 0.03);
  EXPECT_LT((drawn.second - Covariance(q)).cwiseAbs().maxCoeff(),
            0.03 * Covariance(q).diagonal().maxCoeff());
}

TEST(PerUnitGaussian, IsArchivedAndChecked) {
  const PerUnitGaussian q = RandomUnits(kNetwork);
  PerUnitGaussian read = Configured<PerUnitGaussian>({"per_unit", {}}, kNetwork);
  ASSERT_TRUE(FromArchive(ToArchive(q), read).ok());
  EXPECT_EQ(Covariance(read), Covariance(q));
  EXPECT_TRUE(read.IsSound(51));
  EXPECT_FALSE(read.IsSound(52));
  EXPECT_TRUE(read.HasShapeOf(q));
  EXPECT_FALSE(RandomUnits(kLinear).HasShapeOf(q));
  PerUnitGaussian bad = q;
  bad.units[7].covariance(2, 2) = 0;
  EXPECT_FALSE(bad.IsSound(51));
  bad = q;
  bad.units[7].covariance = Matrix::Identity(5, 5);
  EXPECT_FALSE(bad.IsSound(51));
}

TEST(PerUnitGaussian, SaysWhatIsTooLarge) {
  const PerUnitGaussian wide =
      Configured<PerUnitGaussian>({"per_unit", {}}, Layers{{0, 9000, 2, true}});
  EXPECT_EQ(FieldOf(wide.CheckSize(18002)), "config.model");
  EXPECT_TRUE(RandomUnits(kNetwork).CheckSize(51).ok());
}

}  // namespace
}  // namespace prequel::per_unit_test
