// Models that let a row count less the further it is from what was predicted of it.
#include "core/learner/weighing.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/learner/belief.h"
#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/fold_once.h"
#include "tests/core/rules_under_test.h"
#include "tests/core/streams.h"

namespace prequel::weighing_test {
namespace {

const std::vector<std::string>& Robust() {
  static const auto* const names = new std::vector<std::string>{"imq", "mahalanobis_gate"};
  return *names;
}

LearnerConfig ConfigOf(ComponentConfig robustness, const std::string& dynamics = "static") {
  LearnerConfig config = PlainConfig(3, "gaussian");
  config.posterior.name = "full";
  config.robustness = std::move(robustness);
  config.dynamics.name = dynamics;
  return config;
}

// Of minibatches of 16 rows, of which some are 50 or −50.
LearnerState Fold(const Learner& learner, std::uint64_t steps, double outliers = 0) {
  LearnerState state = learner.Initial();
  for (std::uint64_t t = 0; t < steps; ++t) {
    Batch batch = LinearBatch(3, 16, t);
    Vector u(2 * batch.rows());
    FillUniform(Stream{9, t, 0}, u);
    for (Index i = 0; i < batch.rows(); ++i) {
      if (u[2 * i] < outliers) batch.targets(0, i) = u[2 * i + 1] < 0.5 ? -50 : 50;
    }
    state = FoldOnce(learner, state, batch);
  }
  return state;
}

const Vector& MeanOf(const LearnerState& state) {
  return std::visit([](const auto& q) -> const Vector& { return q.mean; },
                    BeliefOf(state).posterior);
}

// Whether two models of other configurations have learned the same, to the bit.
void ExpectSame(const LearnerState& a, const LearnerState& b) {
  ASSERT_EQ(a.beliefs.size(), b.beliefs.size());
  for (std::size_t k = 0; k < a.beliefs.size(); ++k) {
    std::visit(
        [&]<class Q>(const Q& q) { EXPECT_EQ(q.mean, std::get<Q>(b.beliefs[k].posterior).mean); },
        a.beliefs[k].posterior);
    EXPECT_EQ(a.beliefs[k].noise.shape, b.beliefs[k].noise.shape);
    EXPECT_EQ(a.beliefs[k].noise.rate, b.beliefs[k].noise.rate);
    EXPECT_EQ(a.beliefs[k].log_weight, b.beliefs[k].log_weight);
  }
  EXPECT_EQ(a.targets.moments.mean, b.targets.moments.mean);
  EXPECT_EQ(a.evaluation.cumulative.Average()["nll"], b.evaluation.cumulative.Average()["nll"]);
}

// y = w x + b with w, b ~ N(0, 1) and noise of variance R, of one row (x, y): with x̃ = (x, 1),
//   w² = 1/(1 + y²/(R c²)),   S = x̃ᵀ P x̃ + R/w²,   m = P x̃ y/S,   P' = P − P x̃ x̃ᵀ P/S
// where P is 1, and has drifted for a row where the dynamics say so.
TEST(Weighing, OfOneRowIsItsEquation) {
  constexpr double kNoise = 0.25, kThreshold = 3, kRate = 0.5;
  const double x = 2, y = 4;
  const double weight = 1 / (1 + y * y / (kNoise * kThreshold * kThreshold));
  for (const std::string rule : {"conjugate", "rvga"}) {
    for (const bool drifts : {false, true}) {
      LearnerConfig config = PlainConfig(1, "gaussian");
      config.likelihood.options["noise"] = kNoise;
      config.posterior.name = "full";
      config.rule.name = rule;
      config.robustness = {"imq", {{"threshold", kThreshold}}};
      if (drifts) config.dynamics = {"inflation", {{"rate", kRate}, {"cap", 1e12}}};
      const Learner learner = Learner::Create(config).value();
      Batch row;
      row.inputs = Matrix::Constant(1, 1, x);
      row.targets = Matrix::Constant(1, 1, y);
      const LearnerState next = FoldOnce(learner, learner.Initial(), row);
      const double prior = drifts ? 1 + kRate : 1;
      const Eigen::Vector2d direction(x, 1);
      const double total = prior * direction.squaredNorm() + kNoise / weight;
      const auto& q = std::get<FullGaussian>(BeliefOf(next).posterior);
      EXPECT_TRUE(q.mean.isApprox(prior * y / total * direction, 1e-9)) << rule << q.mean;
      const Eigen::Matrix2d covariance = prior * Eigen::Matrix2d::Identity() -
                                         prior * prior / total * direction * direction.transpose();
      EXPECT_NEAR(q.covariance(0, 0), covariance(0, 0), 1e-9) << rule;
      EXPECT_NEAR(q.covariance(1, 0), covariance(1, 0), 1e-9) << rule;
      EXPECT_NEAR(q.covariance(1, 1), covariance(1, 1), 1e-9) << rule;
    }
  }
}

// How far one row moves the weights whose target is `off` from what it should be.
double Pull(const ComponentConfig& robustness, const std::string& dynamics, double off) {
  LearnerConfig config = ConfigOf(robustness, dynamics);
  config.likelihood.options["noise"] = 0.25;
  const Learner learner = Learner::Create(config).value();
  const LearnerState state = Fold(learner, 20);
  Batch row = LinearBatch(3, 1, 99);
  row.targets(0, 0) += off;
  return (MeanOf(FoldOnce(learner, state, row)) - MeanOf(state)).norm();
}

TEST(Weighing, APullIsBoundedHoweverFarARowIs) {
  for (const std::string dynamics : {"static", "inflation"}) {
    const ComponentConfig none, imq{"imq", {}}, gate{"mahalanobis_gate", {}};
    EXPECT_GT(Pull(none, dynamics, 1e6), 100);
    const double most = 0.5 * Pull(none, dynamics, 4 * 0.5);  // half of that of c deviations
    for (const double off : {3.0, 10.0, 1e3, 1e6, 1e12}) {
      EXPECT_LT(Pull(imq, dynamics, off), 2 * most) << off;
    }
    EXPECT_LT(Pull(imq, dynamics, 1e6), 1e-4 * most);
    EXPECT_EQ(Pull(gate, dynamics, 10), 0);
    EXPECT_EQ(Pull(gate, dynamics, 1e200), 0);
    EXPECT_GT(Pull(gate, dynamics, 1), 0);
  }
}

// Of every rule that meets rows once: an outlier leaves it where it was, and nearness to the bit.
TEST(Weighing, WorksInEveryRecursiveRule) {
  int met = 0;
  for (const RuleUnderTest& rule : RulesUnderTest()) {
    for (const std::string& posterior : rule.posteriors) {
      for (const std::string& robustness : Robust()) {
        SCOPED_TRACE(absl::StrCat(rule.name, ", ", posterior, ", ", robustness));
        LearnerConfig config = ConfigOf({});
        config.rule = rule.rule;
        config.posterior.name = posterior;
        config.likelihood.options["noise"] = 0.25;
        const absl::StatusOr<Learner> plain = Learner::Create(config);
        if (!plain.ok()) continue;
        config.robustness = {robustness, {}};
        const absl::StatusOr<Learner> robust = Learner::Create(config);
        const auto mode = rule.rule.options.find("mode");
        if (mode != rule.rule.options.end() &&
            mode->second == OptionValue(std::string("dataset"))) {
          EXPECT_EQ(FieldOf(robust.status()), "config.robustness");
          continue;
        }
        ++met;
        ASSERT_TRUE(robust.ok()) << robust.status();
        config.robustness.options["threshold"] = 1e12;
        const Learner far = Learner::Create(config).value();
        ExpectSame(Fold(*plain, 4), Fold(far, 4));

        const LearnerState state = Fold(*robust, 4);
        Batch row = LinearBatch(3, 1, 99);
        row.targets(0, 0) = 1e6;
        EXPECT_LT((MeanOf(FoldOnce(*robust, state, row)) - MeanOf(state)).norm(), 0.1);
      }
    }
  }
  EXPECT_GE(met, 40);
}

// Learned noise, its tracks, running moments, several beliefs and restarts.
TEST(Weighing, OfNearRowsIsThatOfNoneToTheBit) {
  for (const std::string& robustness : Robust()) {
    for (const std::string dynamics : {"static", "inflation", "adaptive", "restart"}) {
      for (const std::string model : {"linear", "mlp"}) {
        SCOPED_TRACE(absl::StrCat(robustness, ", ", dynamics, ", ", model));
        const auto folded = [&](ComponentConfig weighing) {
          LearnerConfig config = ConfigOf(std::move(weighing), dynamics);
          config.standardize_targets = Standardize::kDefault;
          config.model.name = model;
          if (model == "mlp") config.model.options["hidden"] = std::vector<double>{3};
          return Fold(Learner::Create(config).value(), 6);
        };
        ExpectSame(folded({}), folded({robustness, {{"threshold", 1e12}}}));
      }
    }
  }
}

// One of eight rows together is shut out as if it had not come; and where rows go in turn, each
// is weighed by what the rows before it left.
TEST(Weighing, IsByTheRowWithinAMinibatch) {
  LearnerConfig config = ConfigOf({"mahalanobis_gate", {}});
  config.likelihood.options["noise"] = 0.25;
  Batch eight = LinearBatch(3, 8, 50), seven = eight;
  eight.targets(0, 7) = 40;
  seven.inputs = eight.inputs.leftCols(7).eval();
  seven.targets = eight.targets.leftCols(7).eval();
  const Learner gate = Learner::Create(config).value();
  const LearnerState state = Fold(gate, 2);
  EXPECT_TRUE(
      MeanOf(FoldOnce(gate, state, eight)).isApprox(MeanOf(FoldOnce(gate, state, seven)), 1e-12));

  config.robustness = {"imq", {{"threshold", 1.0}}};
  config.dynamics.name = "inflation";
  const Learner imq = Learner::Create(config).value();
  LearnerState one_by_one = imq.Initial();
  for (Index i = 0; i < eight.rows(); ++i) {
    one_by_one = FoldOnce(imq, one_by_one, RowsOf(eight, i, 1));
  }
  EXPECT_TRUE(MeanOf(FoldOnce(imq, imq.Initial(), eight)).isApprox(MeanOf(one_by_one), 1e-9));
}

double LearnedNoise(const ComponentConfig& robustness, double outliers,
                    const std::string& dynamics) {
  const Learner learner = Learner::Create(ConfigOf(robustness, dynamics)).value();
  const LearnerState state = Fold(learner, 200, outliers);
  return BeliefOf(state).noise.rate[0] / BeliefOf(state).noise.shape[0];
}

// Of rows with noise of variance 0.25 a tenth are 50 or −50.
TEST(Weighing, LearnedNoiseIsThatOfTheRowsThatCount) {
  EXPECT_GT(LearnedNoise({}, 0.1, "static"), 100);
  for (const std::string& robustness : Robust()) {
    for (const std::string dynamics : {"static", "adaptive"}) {
      EXPECT_NEAR(LearnedNoise({robustness, {}}, 0, dynamics), 0.25, 0.02) << robustness;
      EXPECT_NEAR(LearnedNoise({robustness, {}}, 0.1, dynamics), 0.25, 0.05) << robustness;
    }
  }
}

TEST(Weighing, NeitherRunningMomentsNorWeightsOfBeliefsSeeAnOutlier) {
  for (const std::string& robustness : Robust()) {
    LearnerConfig config = ConfigOf({robustness, {}}, "adaptive");
    config.standardize_targets = Standardize::kRunning;
    const Learner learner = Learner::Create(config).value();
    const LearnerState state = Fold(learner, 20);
    Batch row = LinearBatch(3, 1, 99);
    row.targets(0, 0) = 1e90;
    const LearnerState next = FoldOnce(learner, state, row);
    EXPECT_NEAR(next.targets.moments.Scale(0) / state.targets.moments.Scale(0), 1, 0.05);
    EXPECT_NEAR(next.targets.moments.mean[0], state.targets.moments.mean[0], 0.05);
    for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
      EXPECT_NEAR(std::exp(next.beliefs[k].log_weight), std::exp(state.beliefs[k].log_weight),
                  0.02);
    }
  }
}

TEST(Weighing, GoesOnFromItsBytesToTheBit) {
  for (const std::string& robustness : Robust()) {
    LearnerConfig config = ConfigOf({robustness, {}}, "adaptive");
    config.standardize_targets = Standardize::kRunning;
    const Learner learner = Learner::Create(config).value();
    const LearnerState half = Fold(learner, 4, 0.1);
    const absl::StatusOr<LearnerState> read = learner.DecodeState(learner.EncodeState(half));
    ASSERT_TRUE(read.ok()) << read.status();
    Batch batch = LinearBatch(3, 16, 5);
    batch.targets(0, 3) = -50;
    EXPECT_TRUE(learner.EncodeState(FoldOnce(learner, half, batch)) ==
                learner.EncodeState(FoldOnce(learner, *read, batch)));
  }
}

TEST(Weighing, IsRefusedByField) {
  const auto refused = [](const LearnerConfig& config) {
    return FieldOf(Learner::Create(config).status());
  };
  for (const std::string& likelihood : LikelihoodNames()) {
    if (likelihood == "gaussian") continue;
    LearnerConfig config = PlainConfig(3, likelihood);
    config.target.num_classes = likelihood == "categorical" ? 3 : 0;
    config.robustness.name = "imq";
    EXPECT_EQ(refused(config), "config.robustness") << likelihood;
    config.robustness.name = "none";
    EXPECT_TRUE(Learner::Create(config).ok()) << likelihood;
  }
  EXPECT_EQ(refused(ConfigOf({"imq", {{"threshold", 0.5}}})),
            "config.robustness.options.threshold");
  EXPECT_EQ(refused(ConfigOf({"none", {{"threshold", 4.0}}})),
            "config.robustness.options.threshold");
  EXPECT_EQ(refused(ConfigOf({"huber", {}})), "config.robustness.name");
}

}  // namespace
}  // namespace prequel::weighing_test
