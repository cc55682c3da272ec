// The low-rank posterior against the full one with the same precision.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include <limits>
#include <string>

#include "core/archive/archive.h"
#include "core/config/field_error.h"
#include "core/expansion/expansion.h"
#include "core/learner/learner.h"
#include "core/posteriors/posterior.h"
#include "tests/core/belief_of.h"
#include "tests/core/configured.h"
#include "tests/core/sampled_moments.h"
#include "tests/core/streams.h"

namespace prequel::low_rank_test {
namespace {

constexpr Index kInputs = 4;

LowRankGaussian RandomLowRank(Index size, Index rank) {
  LowRankGaussian q;
  q.mean = 0.3 * Normals(size, 1, 11);
  q.diagonal = Normals(size, 1, 12).array().square() + 0.5;
  q.factor = Normals(size, rank, 13);
  return q;
}

Matrix Precision(const LowRankGaussian& q) {
  return q.factor * q.factor.transpose() + Matrix(q.diagonal.asDiagonal());
}

FullGaussian AsFull(const LowRankGaussian& q) {
  return {{}, q.mean, Precision(q).llt().solve(Matrix::Identity(q.size(), q.size()))};
}

Matrix Symmetric(const Matrix& lower) { return lower.selfadjointView<Eigen::Lower>(); }

// Both fits of the same minibatch, in step: three classes, D = 51, two curvature columns a row.
class LowRankFit : public testing::TestWithParam<Index> {
 protected:
  LowRankFit()
      : model_(Configured<Mlp>({"mlp", {{"hidden", std::vector<double>{6}}}}, kInputs, Index{3})) {
    TargetConfig target;
    target.num_classes = 3;
    likelihood_ = Configured<Categorical>({"categorical", {}}, target);
    batch_ = BatchFor("categorical", kInputs, GetParam(), 1);
    expansion_.Bind(model_, likelihood_, batch_.inputs, batch_.targets, noise_);
    prior_ = RandomLowRank(expansion_.num_params(), 3);
    full_prior_ = AsFull(prior_);
    const Index columns = 2 * GetParam();
    EXPECT_TRUE(fit_.Begin(prior_, columns, true).ok());
    EXPECT_TRUE(full_.Begin(full_prior_, columns, false).ok());
  }

  template <class Fit>
  Matrix Round(Fit& fit, double rho) {
    expansion_.Linearize(fit.mean());
    fit.Project(expansion_);
    Matrix covariance = expansion_.moments().covariance;
    expansion_.Expect(Expectation::kLinearized);
    fit.StartCurve();
    fit.AddCurve(expansion_, 1.0);
    EXPECT_TRUE(fit.SolveCurve().ok());
    fit.Move(rho);
    return covariance;
  }

  void ExpectSame() {
    EXPECT_LT((fit_.mean() - full_.mean()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_NEAR(fit_.kl(), full_.kl(), 1e-8 * (1 + full_.kl()));
    EXPECT_NEAR(fit_.mean_kl(), full_.mean_kl(), 1e-8 * (1 + full_.mean_kl()));
  }

  Model model_;
  Likelihood likelihood_;
  Batch batch_;
  NoiseLevel noise_;
  Expansion expansion_;
  LowRankGaussian prior_;
  FullGaussian full_prior_;
  LocalLowRank fit_;
  LocalFull full_;
};

TEST_P(LowRankFit, IsTheFullFitRoundByRound) {
  for (const double rho : {0.5, 1.0, 0.25}) {
    const Matrix covariance = Round(fit_, rho);
    EXPECT_LT((covariance - Round(full_, rho)).cwiseAbs().maxCoeff(), 1e-9);
    ExpectSame();
    fit_.Accept();
    full_.Accept();
  }
  Round(fit_, 1.0);
  Round(full_, 1.0);
  fit_.KeepCurve();
  full_.KeepCurve();
  fit_.Move(0.5);
  full_.Move(0.5);
  ExpectSame();
  fit_.Revert();
  full_.Revert();
  ExpectSame();

  LowRankGaussian next;
  FullGaussian full_next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  ASSERT_TRUE(full_.Commit(full_next).ok());
  EXPECT_EQ(next.rank(), 3);
  // Of the diagonal of the precision nothing is lost; of the rest all but the largest pairs.
  const Matrix precision =
      Symmetric(full_next.covariance).llt().solve(Matrix::Identity(next.size(), next.size()));
  EXPECT_LT((Precision(next).diagonal() - precision.diagonal()).cwiseAbs().maxCoeff(), 1e-7);
}

TEST_P(LowRankFit, CommitsTheFullFitWhenTheRankHasRoom) {
  LowRankGaussian prior = prior_;
  prior.factor.setZero(prior.size(), prior.size());
  prior.factor.leftCols(3) = prior_.factor;
  ASSERT_TRUE(fit_.Begin(prior, 2 * GetParam(), false).ok());
  Round(fit_, 1.0);
  Round(full_, 1.0);
  fit_.Accept();
  full_.Accept();
  LowRankGaussian next;
  FullGaussian full_next;
  ASSERT_TRUE(fit_.Commit(next).ok());
  ASSERT_TRUE(full_.Commit(full_next).ok());
  EXPECT_LT((next.mean - full_next.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((Precision(next) * Symmetric(full_next.covariance) -
             Matrix::Identity(next.size(), next.size()))
                .cwiseAbs()
                .maxCoeff(),
            1e-8);
}

TEST_P(LowRankFit, DrawsHaveTheMomentsOfTheFit) {
  Round(fit_, 1.0);
  Round(full_, 1.0);
  fit_.Accept();
  full_.Accept();
  FullGaussian q;
  ASSERT_TRUE(full_.Commit(q).ok());
  constexpr int kPairs = 20000;
  Vector theta, sum = Vector::Zero(q.size());
  Matrix second = Matrix::Zero(q.size(), q.size());
  for (int k = 0; k < kPairs; ++k) {
    for (const bool negate : {false, true}) {
      fit_.Draw(Stream{1, 0, static_cast<std::uint32_t>(k)}, negate, theta);
      const Vector deviation = theta - fit_.mean();
      sum += deviation;
      second += deviation * deviation.transpose() / (2 * kPairs);
    }
  }
  EXPECT_LT(sum.cwiseAbs().maxCoeff(), 1e-8);
  const Matrix covariance = Symmetric(q.covariance);
  EXPECT_LT((second - covariance).cwiseAbs().maxCoeff(), 0.05 * covariance.diagonal().maxCoeff());
}

// Fewer curvature columns than weights, and more.
INSTANTIATE_TEST_SUITE_P(Rows, LowRankFit, testing::Values(1, 9, 40));

TEST(LowRankSampler, HasTheMomentsOfThePosterior) {
  const LowRankGaussian q = RandomLowRank(5, 2);
  const SampledMoments drawn = MomentsOfDraws<LowRankSampler>(q);
  EXPECT_LT((drawn.mean - q.mean).cwiseAbs().maxCoeff(), 0.02);
  EXPECT_LT((drawn.second - AsFull(q).covariance).cwiseAbs().maxCoeff(), 0.02);
}

TEST(LowRankGaussian, IsArchivedAndChecked) {
  const LowRankGaussian q = RandomLowRank(6, 2);
  LowRankGaussian read;
  ASSERT_TRUE(FromArchive(ToArchive(q), read).ok());
  EXPECT_EQ(read.factor, q.factor);
  EXPECT_TRUE(read.IsSound(6));
  EXPECT_FALSE(read.IsSound(7));
  LowRankGaussian bad = q;
  bad.diagonal[0] = 0;
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.factor(0, 1) = std::numeric_limits<double>::infinity();
  EXPECT_FALSE(bad.IsFinite());
  bad = q;
  bad.factor.resize(5, 2);
  bad.factor.setZero();
  EXPECT_FALSE(bad.IsSound(6));
}

LearnerConfig RankConfig(double rank) {
  LearnerConfig config = PlainConfig(3, "bernoulli");
  config.posterior = {"low_rank", {{"rank", rank}}};
  return config;
}

TEST(LowRankGaussian, RefusesARankThatCannotBe) {
  for (const double rank : {0.0, 1.5, 5.0, -1.0}) {
    const absl::StatusOr<Learner> learner = Learner::Create(RankConfig(rank));
    ASSERT_FALSE(learner.ok()) << rank;
    EXPECT_EQ(FieldOf(learner.status()), "config.posterior.options.rank");
    EXPECT_NE(learner.status().message().find("[1, 4]"), std::string::npos) << learner.status();
  }
  EXPECT_TRUE(Learner::Create(RankConfig(4)).ok());

  LearnerConfig config = RankConfig(1);
  config.posterior.options.clear();
  const Learner learner = *Learner::Create(config);
  EXPECT_EQ(std::get<double>(learner.config().posterior.options.at("rank")), 4);  // D < 10

  config.features = {{.name = "x", .width = 1 << 20}};
  config.posterior.options["rank"] = 100.0;
  const absl::StatusOr<Learner> large = Learner::Create(config);
  ASSERT_FALSE(large.ok());
  EXPECT_EQ(FieldOf(large.status()), "config.posterior.options.rank");
}

// More rows than can be held is the sender's to mend, and nothing is allocated for them.
TEST(LocalLowRank, RefusesMoreColumnsThanItCanHold) {
  LocalLowRank fit;
  const LowRankGaussian q = RandomLowRank(50, 2);
  ASSERT_TRUE(fit.Begin(q, 100, false).ok());
  EXPECT_TRUE(fit.CheckRoom().ok());
  ASSERT_TRUE(fit.Begin(q, Index{1} << 26, false).ok());
  EXPECT_EQ(FieldOf(fit.CheckRoom()), "batch.inputs.shape");
}

// With room for every direction the recursion is the full one, minibatch after minibatch.
TEST(LowRankLearner, IsTheFullLearnerAtFullRank) {
  for (const char* likelihood : {"gaussian", "bernoulli", "categorical", "poisson"}) {
    LearnerConfig config = PlainConfig(3, likelihood);
    if (std::string(likelihood) == "categorical") config.target.num_classes = 3;
    config.model = {"mlp", {{"hidden", std::vector<double>{4}}}};
    config.rule = {"rvga", {{"tolerance", 1e-10}}};
    config.posterior.name = "full";
    const Learner full = *Learner::Create(config);
    config.posterior = {"low_rank", {{"rank", static_cast<double>(full.num_parameters())}}};
    const Learner low = *Learner::Create(config);

    LearnerState full_state = full.Initial(), low_state = low.Initial(), next;
    Scratch scratch;
    for (std::uint64_t t = 0; t < 12; ++t) {
      const Batch batch = BatchFor(likelihood, 3, 1 + 5 * static_cast<Index>(t % 4), t);
      ASSERT_TRUE(full.Update(full_state, batch, scratch, next).ok());
      std::swap(full_state, next);
      ASSERT_TRUE(low.Update(low_state, batch, scratch, next).ok());
      std::swap(low_state, next);
    }
    const auto& p = std::get<FullGaussian>(BeliefOf(full_state).posterior);
    const auto& q = std::get<LowRankGaussian>(BeliefOf(low_state).posterior);
    EXPECT_LT((p.mean - q.mean).cwiseAbs().maxCoeff(), 1e-6) << likelihood;
    EXPECT_LT((Symmetric(p.covariance) - AsFull(q).covariance).cwiseAbs().maxCoeff(), 1e-6);
    EXPECT_NEAR(full_state.evaluation.cumulative.Average()["nll"],
                low_state.evaluation.cumulative.Average()["nll"], 1e-5);
  }
}

}  // namespace
}  // namespace prequel::low_rank_test
