#include "core/dynamics/ou.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/dynamics/known_noise.h"
#include "tests/core/streams.h"

namespace prequel::ou_test {
namespace {

TEST(Ou, OfALinearModelIsTheKalmanFilter) {
  constexpr double kFactor = 0.9, kInterceptFactor = 0.7;
  const Learner learner =
      Learner::Create(
          KnownNoiseConfig({"ou", {{"factor", kFactor}, {"intercept_factor", kInterceptFactor}}}))
          .value();
  LearnerState state = learner.Initial(), next = learner.Initial();
  Scratch scratch;
  const Vector prior = std::get<FullGaussian>(BeliefOf(state).posterior).covariance.diagonal();
  const Vector factors = Eigen::Vector3d(kFactor, kFactor, kInterceptFactor);
  Vector m = Vector::Zero(3);
  Matrix p = prior.asDiagonal();
  for (const Index rows : {1, 7, 3, 8, 5}) {
    const Batch batch = LinearBatch(2, rows, static_cast<std::uint64_t>(rows));
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
    for (Index i = 0; i < rows; ++i) {
      m.array() *= factors.array();
      p = factors.asDiagonal() * p * factors.asDiagonal();
      p.diagonal().array() += (1 - factors.array().square()) * prior.array();
      Vector x(3);
      x << batch.inputs.col(i), 1;
      const Vector gain = p * x / (x.dot(p * x) + kNoise);
      m += gain * (batch.targets(0, i) - x.dot(m));
      p -= gain * (p * x).transpose();
    }
  }
  const auto& q = std::get<FullGaussian>(BeliefOf(state).posterior);
  EXPECT_TRUE(q.mean.isApprox(m, 1e-11));
  EXPECT_TRUE(Matrix(q.covariance.selfadjointView<Eigen::Lower>()).isApprox(p, 1e-11));
}

// Including those that hold a part of the mean beside it.
TEST(Ou, DrawsEveryPosteriorBackToThePrior) {
  const ComponentConfig config{"ou", {{"factor", 0.5}}};
  OrnsteinUhlenbeck ou;
  Options options("config.dynamics", config);
  const Layers layers = {{.offset = 0, .inputs = 2, .outputs = 1}};
  ASSERT_TRUE(ou.Configure(options, {.layers = layers}).ok());
  const Vector variances = Eigen::Vector3d(1, 2, 3), mean = Eigen::Vector3d(-1, 0, 1);
  SubnetworkGaussian q;
  q.Assign(mean, variances, {0, 2});
  q.mean[0] = q.part.mean[0] = 7;
  q.part.covariance *= 1e-6;
  DynamicsScratch scratch;
  for (const double rows : {1.0, 1e9}) {
    ou.Move({.rows = rows, .prior_variances = variances, .prior_mean = mean, .layers = layers}, q,
            scratch);
    EXPECT_EQ(q.part.mean[0], q.mean[0]);
    if (rows == 1) {
      EXPECT_EQ(q.mean[0], 3);
    }
  }
  EXPECT_EQ(q.mean, mean);
  EXPECT_TRUE(q.part.covariance.diagonal().isApprox(Eigen::Vector2d(1, 3), 1e-12));
}

TEST(Ou, IsRefusedByField) {
  LearnerConfig config = KnownNoiseConfig({"ou", {{"factor", 0.0}}});
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics.options.factor");
  config = KnownNoiseConfig({"ou", {{"intercept_factor", 1.1}}});
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics.options.intercept_factor");
  config = KnownNoiseConfig({"ou", {}});
  config.posterior.name = "diagonal";
  config.rule = {"vogn", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.dynamics");
}

}  // namespace
}  // namespace prequel::ou_test
