// A full Gaussian over some of the weights: of all weights it is the full posterior, of the last
// layer the conjugate one of a linear model of the features.
#include "core/posteriors/subset_gaussian.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/posteriors/posterior.h"
#include "tests/core/ask.h"
#include "tests/core/belief_of.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"

namespace prequel::subset_test {
namespace {

using Numbers = std::vector<double>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr Index kInputs = 3;

LearnerConfig NetConfig(const std::string& likelihood, const std::string& posterior) {
  LearnerConfig config = PlainConfig(kInputs, likelihood);
  if (likelihood == "categorical") config.target.num_classes = 3;
  config.model = {"mlp", {{"hidden", Numbers{5, 4}}}};
  config.posterior.name = posterior;
  return config;
}

LearnerState Fold(const LearnerConfig& config, const std::vector<Batch>& batches) {
  const absl::StatusOr<Learner> learner = Learner::Create(config);
  EXPECT_TRUE(learner.ok()) << learner.status();
  LearnerState state = learner->Initial(), next;
  Scratch scratch;
  for (const Batch& batch : batches) {
    const absl::StatusOr<Learned> learned = learner->Update(state, batch, scratch, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    std::swap(state, next);
  }
  return state;
}

std::vector<Batch> Batches(const std::string& likelihood, Index rows) {
  std::vector<Batch> batches;
  for (std::uint64_t t = 0; t < 4; ++t) {
    batches.push_back(BatchFor(likelihood, kInputs, rows, t));
  }
  return batches;
}

double Difference(const Matrix& a, const Matrix& b) { return (a - b).cwiseAbs().maxCoeff(); }

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

// D = 3·5 + 5 + 5·4 + 4 + (4 + 1)·C; by examples and by parameters.
TEST(Subnetwork, OfAllWeightsIsTheFullPosterior) {
  for (const char* likelihood : {"gaussian", "bernoulli", "categorical"}) {
    for (const Index rows : {4, 80}) {
      for (const char* expectation : {"linearized", "mean", "monte_carlo"}) {
        LearnerConfig config = NetConfig(likelihood, "full");
        config.rule = {"rvga", {{"expectation", std::string(expectation)}}};
        const LearnerState full_state = Fold(config, Batches(likelihood, rows));
        const auto& full = std::get<FullGaussian>(BeliefOf(full_state).posterior);
        config.posterior = {"subnetwork", {{"size", static_cast<double>(full.size())}}};
        const LearnerState state = Fold(config, Batches(likelihood, rows));
        const auto& q = std::get<SubnetworkGaussian>(BeliefOf(state).posterior);
        EXPECT_LT(Difference(q.mean, full.mean), 1e-12);
        EXPECT_LT(Difference(Symmetric(q.part.covariance), Symmetric(full.covariance)), 1e-12);
        EXPECT_NEAR(state.evaluation.cumulative.Average()["nll"],
                    full_state.evaluation.cumulative.Average()["nll"], 1e-10);
      }
    }
  }
}

// Some weights are learned as if the others were data: the full step with the other rows and
// columns of P at zero, which a tiny prior variance is to rounding.
TEST(Subnetwork, IsTheFullPosteriorThatKnowsTheOtherWeights) {
  LearnerConfig config = NetConfig("categorical", "subnetwork");
  Numbers weights, variances;
  for (int i = 0; i < 59; ++i) weights.push_back(0.4 * std::sin(3 * i));
  for (int i = 0; i < 59; ++i) variances.push_back(i % 4 == 0 ? 2 + 0.1 * i : 1e-13);
  config.prior = {"imported", {{"weights", weights}, {"variances", variances}}};
  config.posterior.options["size"] = 15.0;
  const LearnerState state = Fold(config, Batches("categorical", 6));
  const auto& q = std::get<SubnetworkGaussian>(BeliefOf(state).posterior);
  config.posterior = {"full", {}};
  const LearnerState full_state = Fold(config, Batches("categorical", 6));
  const auto& full = std::get<FullGaussian>(BeliefOf(full_state).posterior);
  const Matrix covariance = Symmetric(full.covariance);
  EXPECT_LT(Difference(q.mean, full.mean), 1e-9);
  EXPECT_LT(Difference(Symmetric(q.part.covariance), covariance(q.subset, q.subset)), 1e-9);
  EXPECT_LT(q.part.covariance.diagonal().minCoeff(), 1.5);  // it did learn
  EXPECT_EQ(q.part.mean, Vector(q.mean(q.subset)));
}

TEST(Subnetwork, HasTheLargestVariancesAndOfEqualOnesTheFirst) {
  Vector variances(7);
  variances << 1, 3, 2, 3, 2, 0.5, 2;
  EXPECT_THAT(LargestVariances(variances, 1), ElementsAre(1));
  EXPECT_THAT(LargestVariances(variances, 3), ElementsAre(1, 2, 3));
  EXPECT_THAT(LargestVariances(variances, 5), ElementsAre(1, 2, 3, 4, 6));
  EXPECT_THAT(LargestVariances(variances, 7), ElementsAre(0, 1, 2, 3, 4, 5, 6));
}

TEST(Subnetwork, ItsSizeIsRefusedBeyondTheWeightsAndBeyondWhatFits) {
  LearnerConfig config = NetConfig("gaussian", "subnetwork");
  config.posterior.options["size"] = 50.0;
  const absl::Status more = Learner::Create(config).status();
  EXPECT_EQ(FieldOf(more), "config.posterior.options.size");
  EXPECT_THAT(std::string(more.message()), HasSubstr("a whole number in [1, 49]"));
  config.model.options["hidden"] = Numbers{4000};
  config.posterior.options["size"] = 8193.0;
  const absl::Status large = Learner::Create(config).status();
  EXPECT_EQ(FieldOf(large), "config.posterior.options.size");
  EXPECT_THAT(std::string(large.message()), HasSubstr("[1, 8192]"));
}

// The hidden layers' outputs, by the network's own expansion.
Matrix Features(const LearnerConfig& config, const Vector& theta, const Matrix& inputs) {
  Mlp mlp;
  Options options("model", config.model);
  EXPECT_TRUE(mlp.Configure(options, inputs.rows(), 1).ok());
  Mlp::Tape tape;
  Matrix logits(1, inputs.cols());
  mlp.Forward(theta, inputs, tape, logits);
  return tape.layers.back().input.view();
}

TEST(LastLayer, IsConjugateRegressionOnTheFeatures) {
  LearnerConfig config = NetConfig("gaussian", "last_layer");
  config.likelihood.options["noise"] = 0.3;
  config.prior.options["layer_scale"] = std::string("none");
  config.rule = {"rvga", {{"tolerance", 1e-13}}};
  const std::vector<Batch> batches = Batches("gaussian", 7);
  const LearnerState state = Fold(config, batches);
  const auto& q = std::get<LastLayerGaussian>(BeliefOf(state).posterior);
  const LearnerState initial_state = Learner::Create(config)->Initial();
  const auto& prior = std::get<LastLayerGaussian>(BeliefOf(initial_state).posterior);
  EXPECT_EQ(q.mean.head(44), prior.mean.head(44));  // of the hidden layers
  EXPECT_EQ(q.subset.size(), 5u);

  LearnerConfig linear = PlainConfig(4, "gaussian");
  linear.likelihood.options["noise"] = 0.3;
  linear.rule.name = "conjugate";
  const Vector start = prior.part.mean;
  linear.prior = {"imported", {{"weights", Numbers(start.begin(), start.end())}}};
  std::vector<Batch> featured = batches;
  for (Batch& batch : featured) batch.inputs = Features(config, prior.mean, batch.inputs);
  const LearnerState exact_state = Fold(linear, featured);
  const auto& exact = std::get<FullGaussian>(BeliefOf(exact_state).posterior);
  EXPECT_LT(Difference(q.part.mean, exact.mean), 1e-10);
  EXPECT_LT(Difference(Symmetric(q.part.covariance), Symmetric(exact.covariance)), 1e-10);
  EXPECT_NEAR(state.evaluation.cumulative.Average()["nll"],
              exact_state.evaluation.cumulative.Average()["nll"], 1e-9);

  // The predictive: its logits' variance is φᵀ P φ.
  Scratch scratch;
  const absl::StatusOr<Answer> asked =
      Ask(*Learner::Create(config), state, batches[0], scratch, {.queries = {{"logits", {}}}});
  ASSERT_TRUE(asked.ok()) << asked.status();
  Matrix with_bias = Matrix::Ones(5, featured[0].inputs.cols());
  with_bias.topRows(4) = featured[0].inputs;
  const Vector variance =
      (with_bias.transpose() * Symmetric(exact.covariance) * with_bias).diagonal();
  EXPECT_LT(Difference((*asked)["logit_covariance"].row(0).transpose(), variance), 1e-10);
}

TEST(LastLayer, ThatIsTooWideForACovarianceIsRefused) {
  LearnerConfig config = NetConfig("gaussian", "last_layer");
  config.model.options["hidden"] = Numbers{2, 8192};
  const absl::Status status = Learner::Create(config).status();
  EXPECT_EQ(FieldOf(status), "config.model");
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("8193 parameters in its last layer; at most 8192"));
  config.model.options["hidden"] = Numbers{8192, 2};
  EXPECT_TRUE(Learner::Create(config).ok());
}

TEST(LocalSubset, RevertRestoresTheLastAcceptedFit) {
  const LearnerConfig config = NetConfig("gaussian", "subnetwork");
  Mlp mlp;
  Options model_options("model", config.model);
  ASSERT_TRUE(mlp.Configure(model_options, kInputs, 1).ok());
  Gaussian gaussian;
  Options likelihood_options("likelihood", config.likelihood);
  ASSERT_TRUE(gaussian.Configure(likelihood_options, config.target).ok());
  const Model model = mlp;
  const Likelihood likelihood = gaussian;
  const Batch batch = BatchFor("gaussian", kInputs, 6, 1);
  const NoiseLevel noise{.variance = Vector::Ones(1)};
  Expansion expansion;
  expansion.Bind(model, likelihood, batch.inputs, batch.targets, noise);
  SubnetworkGaussian prior;
  prior.Assign(0.4 * Normals(49, 1, 3), Vector::Ones(49), {2, 17, 30, 45});

  LocalSubset<SubnetworkGaussian> fit;
  ASSERT_TRUE(fit.Begin(prior, 6).ok());
  const auto round = [&](double rho) {
    expansion.Linearize(fit.mean(), fit.first_uncertain());
    fit.Project(expansion);
    expansion.Expect(Expectation::kLinearized);
    fit.StartCurve();
    fit.AddCurve(expansion, 1);
    EXPECT_TRUE(fit.SolveCurve().ok());
    fit.Move(rho);
  };
  round(1);
  fit.Accept();
  const Vector accepted = fit.mean();
  Vector moved = accepted - prior.mean;
  EXPECT_GT(moved(prior.subset).cwiseAbs().minCoeff(), 1e-6);
  for (const Index j : prior.subset) moved[j] = 0;
  EXPECT_EQ(moved, Vector(Vector::Zero(49)));
  round(0.5);
  EXPECT_NE(fit.mean(), accepted);
  fit.Revert();
  EXPECT_EQ(fit.mean(), accepted);
}

TEST(SubsetSampler, DrawsTheSubsetAndLeavesTheRest) {
  SubnetworkGaussian q;
  const Vector mean = (Vector(5) << 1, 2, 3, 4, 5).finished();
  q.Assign(mean, Vector::Ones(5), {1, 3});
  q.part.covariance << 2, 0, -1, 3;
  const SampledMoments drawn = MomentsOfDraws<SubsetSampler<SubnetworkGaussian>>(q);
  Matrix covariance = Matrix::Zero(5, 5);
  covariance(1, 1) = 2;
  covariance(3, 3) = 3;
  covariance(1, 3) = covariance(3, 1) = -1;
  EXPECT_LT(Difference(drawn.mean, mean), 0.02);
  EXPECT_LT(Difference(drawn.second, covariance), 0.04);
  EXPECT_EQ(drawn.second.row(0).cwiseAbs().sum(), 0);
}

TEST(SubsetState, IsRefusedWhenItsSubsetIsNone) {
  SubsetGaussian q;
  q.Assign(Vector::Ones(5), Vector::Ones(5), {1, 3});
  EXPECT_TRUE(q.IsSound(5));
  EXPECT_FALSE(q.IsSound(6));
  for (const std::vector<Index>& subset :
       std::vector<std::vector<Index>>{{}, {1}, {3, 1}, {1, 1}, {-1, 3}, {1, 5}, {1, 2, 3}}) {
    SubsetGaussian bad = q;
    bad.subset = subset;
    bad.Gather();
    EXPECT_FALSE(bad.IsSound(5));
  }
}

}  // namespace
}  // namespace prequel::subset_test
