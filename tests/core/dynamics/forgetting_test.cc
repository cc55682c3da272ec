#include "core/dynamics/forgetting.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/dynamics/known_noise.h"
#include "tests/core/streams.h"

namespace prequel::forgetting_test {
namespace {

LearnerConfig ConfigOf(ComponentConfig dynamics) {
  LearnerConfig config = KnownNoiseConfig(std::move(dynamics));
  config.prior.options["precision"] = 2.0;
  return config;
}

void LearnAll(const Learner& learner, const std::vector<Index>& sizes, LearnerState& state) {
  LearnerState next = learner.Initial();
  Scratch scratch;
  std::uint64_t step = 0;
  for (const Index rows : sizes) {
    const Batch batch = LinearBatch(2, rows, step++);
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
  }
}

// In natural parameters, row by row: minibatches of eight rows or fewer are met so.
TEST(Forgetting, OfALinearModelIsADiscountedSum) {
  constexpr double kFactor = 0.9, kInterceptFactor = 0.7;
  const Learner learner =
      Learner::Create(
          ConfigOf({"forgetting", {{"factor", kFactor}, {"intercept_factor", kInterceptFactor}}}))
          .value();
  const std::vector<Index> sizes = {1, 7, 3, 8, 5};
  LearnerState state = learner.Initial();
  LearnAll(learner, sizes, state);
  const auto initial = std::get<FullGaussian>(BeliefOf(learner.Initial()).posterior);
  const Matrix prior = initial.covariance.diagonal().cwiseInverse().asDiagonal();
  const Vector factors = Eigen::Vector3d(kFactor, kFactor, kInterceptFactor);
  Matrix precision = prior;
  Vector shift = Vector::Zero(3);  // Λ m: the prior's mean is 0
  for (std::size_t t = 0; t < sizes.size(); ++t) {
    const Batch batch = LinearBatch(2, sizes[t], t);
    for (Index i = 0; i < sizes[t]; ++i) {
      const Vector root = factors.cwiseSqrt();
      const Vector mean = precision.llt().solve(shift);
      const Matrix kept = root.asDiagonal() * precision * root.asDiagonal();
      precision = kept;
      precision.diagonal() += (1 - factors.array()).matrix().cwiseProduct(prior.diagonal());
      Vector x(3);
      x << batch.inputs.col(i), 1;
      shift = kept * mean + x * batch.targets(0, i) / kNoise;
      precision += x * x.transpose() / kNoise;
    }
  }
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  const Matrix covariance = precision.llt().solve(Matrix::Identity(3, 3));
  EXPECT_TRUE(Matrix(q.covariance.selfadjointView<Eigen::Lower>()).isApprox(covariance, 1e-11));
  EXPECT_TRUE(q.mean.isApprox(covariance * shift, 1e-11));
}

// Four weights into one unit, or two layers of two.
constexpr Index kSize = 4;
const Layers& OneLayer() {
  static const auto& layers = *new Layers{{.offset = 0, .inputs = 3, .outputs = 1}};
  return layers;
}
const Layers& TwoLayers() {
  static const auto& layers = *new Layers{{.offset = 0, .inputs = 1, .outputs = 1},
                                          {.offset = 2, .inputs = 1, .outputs = 1}};
  return layers;
}

template <class Q>
Q Moved(Q q, const Layers& layers, double rows = 3) {
  Forgetting forgetting;
  const ComponentConfig config{"forgetting", {{"factor", 0.5}}};
  Options options("config.dynamics", config);
  EXPECT_TRUE(forgetting.Configure(options, {.layers = layers}).ok());
  const Vector variances = Eigen::Vector4d(1, 2, 3, 4), mean = Eigen::Vector4d(-1, 0, 1, 2);
  DynamicsScratch scratch;
  forgetting.Move(
      {.rows = rows, .prior_variances = variances, .prior_mean = mean, .layers = layers}, q,
      scratch);
  return q;
}

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

FullGaussian RandomGaussian() {
  const Matrix root = Normals(kSize, kSize + 2, 2);
  return {{}, Normals(kSize, 1, 1), root * root.transpose()};
}

TEST(Forgetting, ComesBackToThePriorAndNoFurther) {
  FullGaussian known = RandomGaussian();
  known.covariance *= 1e-9;
  const FullGaussian q = Moved(Moved(known, OneLayer(), 50), OneLayer(), 1e9);
  EXPECT_TRUE(q.covariance.diagonal().isApprox(Eigen::Vector4d(1, 2, 3, 4), 1e-6));
  EXPECT_TRUE(q.mean.isApprox(Eigen::Vector4d(-1, 0, 1, 2), 1e-6));
}

TEST(Forgetting, IsTheSameInEveryFormOfAPrecision) {
  const FullGaussian full = RandomGaussian(), moved = Moved(full, OneLayer());
  const Matrix wanted = Symmetric(moved.covariance);

  PerUnitGaussian unit;
  unit.layers = OneLayer();
  unit.mean = full.mean;
  unit.units = {{full.covariance}};
  unit = Moved(unit, OneLayer());
  EXPECT_TRUE(Symmetric(unit.units[0].covariance).isApprox(wanted, 1e-12));
  EXPECT_TRUE(unit.mean.isApprox(moved.mean, 1e-12));

  SubnetworkGaussian subset;
  subset.Assign(full.mean, Vector::Ones(kSize), {0, 1, 2, 3});
  subset.part.covariance = full.covariance;
  subset = Moved(subset, OneLayer());
  EXPECT_TRUE(Symmetric(subset.part.covariance).isApprox(wanted, 1e-12));
  EXPECT_TRUE(subset.mean.isApprox(moved.mean, 1e-12));
  EXPECT_EQ(subset.part.mean, subset.mean);

  // Λ = d + W Wᵀ with d below its least eigenvalue.
  const Matrix precision = full.covariance.llt().solve(Matrix::Identity(kSize, kSize));
  const double d = 0.5 / full.covariance.trace();
  Matrix rest = precision;
  rest.diagonal().array() -= d;
  LowRankGaussian low_rank{{}, full.mean, Vector::Constant(kSize, d), rest.llt().matrixL()};
  low_rank = Moved(low_rank, OneLayer());
  Matrix inverse = low_rank.factor * low_rank.factor.transpose();
  inverse += low_rank.diagonal.asDiagonal();
  EXPECT_TRUE((inverse * wanted).isApprox(Matrix::Identity(kSize, kSize), 1e-9));
  EXPECT_TRUE(low_rank.mean.isApprox(moved.mean, 1e-9));

  FullGaussian blocks = full, diagonal = full;
  blocks.covariance.topRightCorner(2, 2).setZero();
  blocks.covariance.bottomLeftCorner(2, 2).setZero();
  BlockDiagonalGaussian block;
  block.mean = full.mean;
  block.blocks = {{Matrix(full.covariance.topLeftCorner(2, 2))},
                  {Matrix(full.covariance.bottomRightCorner(2, 2))}};
  blocks = Moved(blocks, TwoLayers());
  block = Moved(block, TwoLayers());
  EXPECT_TRUE(Symmetric(block.blocks[1].covariance)
                  .isApprox(Symmetric(blocks.covariance).bottomRightCorner(2, 2), 1e-12));
  EXPECT_TRUE(block.mean.isApprox(blocks.mean, 1e-12));

  diagonal.covariance = full.covariance.diagonal().asDiagonal();
  const DiagonalGaussian alone =
      Moved(DiagonalGaussian{{}, full.mean, full.covariance.diagonal().cwiseInverse()}, OneLayer());
  diagonal = Moved(diagonal, OneLayer());
  EXPECT_TRUE(alone.precision.cwiseInverse().isApprox(diagonal.covariance.diagonal(), 1e-12));
  EXPECT_TRUE(alone.mean.isApprox(diagonal.mean, 1e-12));
}

TEST(Forgetting, IsOfWhateverHasAPrecision) {
  for (const std::string posterior :
       {"full", "diagonal", "low_rank", "block_diagonal", "per_unit", "last_layer", "subnetwork"}) {
    SCOPED_TRACE(posterior);
    const auto final = [&](double factor) {
      LearnerConfig config = ConfigOf({"forgetting", {{"factor", factor}}});
      config.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
      config.posterior.name = posterior;
      const absl::StatusOr<Learner> learner = Learner::Create(config);
      EXPECT_TRUE(learner.ok()) << learner.status();
      LearnerState state = learner->Initial();
      LearnAll(*learner, {16, 16, 16}, state);
      return state.evaluation.cumulative.Average()["nll"];
    };
    EXPECT_NE(final(0.9), final(0.999));
    EXPECT_TRUE(std::isfinite(final(0.5)));
  }
}

TEST(Forgetting, IsRefusedByField) {
  LearnerConfig config = ConfigOf({"forgetting", {}});
  config.model = {"mlp", {{"hidden", std::vector<double>{3}}}};
  config.posterior.name = "low_rank_hidden";
  config.rule.name = "hilofi";
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
  config = ConfigOf({"forgetting", {}});
  config.posterior.name = "diagonal";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
  for (const double factor : {0.0, 1.5, -0.5}) {
    EXPECT_EQ(FieldOf(Learner::Create(ConfigOf({"forgetting", {{"factor", factor}}})).status()),
              "config.dynamics.options.factor");
  }
}

}  // namespace
}  // namespace prequel::forgetting_test
