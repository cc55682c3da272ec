// Calibration as a part of the fold: what is scored is what is answered, and raw answers are those
// of a model without it.
#include <cmath>
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "gtest/gtest.h"
#include "tests/core/ask.h"
#include "tests/core/streams.h"

namespace prequel::calibration_test {
namespace {

using Numbers = std::vector<double>;

LearnerConfig Configured(const std::string& likelihood, const std::string& calibration) {
  LearnerConfig config = PlainConfig(2, likelihood);
  if (likelihood == "categorical") config.target.num_classes = 3;
  config.standardize_targets = Standardize::kDefault;
  config.calibration.name = calibration;
  return config;
}

// The targets of another world than the model's: of values with three times the noise now and then.
Batch Misfit(const std::string& likelihood, Index rows, std::uint64_t step) {
  Batch batch = BatchFor(likelihood, 2, rows, step);
  if (likelihood != "gaussian") return batch;
  const Matrix noise = Normals(1, rows, 55, step);
  if ((step / 20) % 2 == 1) batch.targets += 4 * noise;
  return batch;
}

LearnerState FoldedState(const Learner& learner, const std::string& likelihood, int batches) {
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  for (int t = 0; t < batches; ++t) {
    const absl::Status status =
        learner.Update(state, Misfit(likelihood, 20, static_cast<std::uint64_t>(t)), scratch, next)
            .status();
    EXPECT_TRUE(status.ok()) << status;
    std::swap(state, next);
  }
  return state;
}

TEST(CalibrationTest, IsTheDefaultButNotWhereRowsAreSeenAgain) {
  LearnerConfig config = Configured("gaussian", "");
  EXPECT_EQ(Learner::Create(config)->config().calibration.name, "online");
  config.posterior.name = "diagonal";
  config.rule = {"ivon", {{"mode", std::string("dataset")}, {"dataset_size", 100.0}}};
  EXPECT_EQ(Learner::Create(config)->config().calibration.name, "none");
  config.calibration.name = "online";
  EXPECT_EQ(Learner::Create(config)->config().calibration.name, "online");
  config.calibration.name = "onlyne";
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.calibration.name");
  config.calibration = {"online", {{"rate", 1.0}}};
  EXPECT_EQ(FieldOf(Learner::Create(config).status()), "config.calibration.options.rate");
}

// A minibatch's scores come from the answers that would have been given just before.
TEST(CalibrationTest, ScoresAreOfWhatIsAnswered) {
  for (const std::string& likelihood : LikelihoodNames()) {
    SCOPED_TRACE(likelihood);
    const Learner learner = Learner::Create(Configured(likelihood, "online")).value();
    const LearnerState state = FoldedState(learner, likelihood, 60);
    const Batch batch = Misfit(likelihood, 40, 1000);
    Scratch scratch;
    LearnerState next;
    const absl::StatusOr<Learned> learned = learner.Update(state, batch, scratch, next);
    ASSERT_TRUE(learned.ok()) << learned.status();
    if (likelihood == "bernoulli" || likelihood == "categorical") {
      const Answer answer = Ask(learner, state, batch, scratch).value();
      double nll = 0;
      for (Index i = 0; i < 40; ++i) {
        nll -= std::log(answer["probabilities"](static_cast<Index>(batch.targets(0, i)), i)) / 40;
        EXPECT_NEAR(answer["entropy"](0, i),
                    answer["aleatoric_entropy"](0, i) + answer["epistemic_entropy"](0, i), 1e-12);
      }
      EXPECT_NEAR(learned->scores["nll"], nll, 1e-10);
      continue;
    }
    const Answer answer = Ask(learner, state, batch, scratch,
                              {.queries = {{"interval", {{"levels", Numbers{0.5, 0.9, 0.95}}}}}})
                              .value();
    const Matrix means = Ask(learner, state, batch, scratch).value()["mean"];
    EXPECT_NEAR(learned->scores["rmse"], std::sqrt((batch.targets - means).squaredNorm() / 40),
                1e-10);
    const char* const names[] = {"coverage50", "coverage90", "coverage95"};
    for (Index level = 0; level < 3; ++level) {
      double inside = 0;
      for (Index i = 0; i < 40; ++i) {
        const double y = batch.targets(0, i);
        inside += y >= answer["lower"](level, i) && y <= answer["upper"](level, i);
      }
      EXPECT_NEAR(learned->scores[names[level]], inside / 40, 1e-12) << names[level];
    }
  }
}

TEST(CalibrationTest, RawIsAsWithoutIt) {
  for (const std::string& likelihood : LikelihoodNames()) {
    SCOPED_TRACE(likelihood);
    const Learner with = Learner::Create(Configured(likelihood, "online")).value();
    const Learner without = Learner::Create(Configured(likelihood, "none")).value();
    const LearnerState calibrated = FoldedState(with, likelihood, 60);
    const LearnerState plain = FoldedState(without, likelihood, 60);
    const Batch batch = Misfit(likelihood, 10, 1000);
    Scratch scratch;
    const Answer raw = Ask(with, calibrated, batch, scratch, {.raw = true}).value();
    const Answer own = Ask(without, plain, batch, scratch).value();
    const Answer served = Ask(with, calibrated, batch, scratch).value();
    bool differs = false;
    for (const Output& output : own.outputs) {
      EXPECT_EQ(raw[output.name], output.values) << output.name;
      differs = differs || served[output.name] != output.values;
    }
    EXPECT_TRUE(differs);
    // The evaluation has both.
    const Scores of_raw = calibrated.evaluation.raw.cumulative.Average();
    const Scores of_plain = plain.evaluation.cumulative.Average();
    EXPECT_GT(of_raw.size(), 2u);
    for (const NamedScore& score : of_raw) EXPECT_EQ(score.value, of_plain[score.name]);
    EXPECT_EQ(plain.evaluation.raw.cumulative.weight(), 0);
    // Nothing is known of counts before the first. Their means are calibrated, and only theirs.
    const bool counts = likelihood == "poisson" || likelihood == "negative_binomial";
    EXPECT_EQ(of_raw.Has("rmse"), counts);
    EXPECT_EQ(of_raw.Has("mae"), counts);
    EXPECT_EQ(calibrated.evaluation.last.cumulative.weight(),
              calibrated.evaluation.cumulative.weight() - (counts ? 20 : 0));
  }
}

// Whatever is asked along with learning, what is learned and scored is the same.
TEST(CalibrationTest, AskingForRawBesideLearningChangesNothing) {
  const Learner learner = Learner::Create(Configured("gaussian", "online")).value();
  const LearnerState state = FoldedState(learner, "gaussian", 60);
  const Batch batch = Misfit("gaussian", 10, 1000);
  Scratch scratch;
  LearnerState alone, asked;
  ASSERT_TRUE(learner.Update(state, batch, scratch, alone).ok());
  const QuerySet raw = learner.Ask({.raw = true}).value();
  Answer answer;
  ASSERT_TRUE(learner.Update(state, batch, scratch, asked, &raw, &answer).ok());
  EXPECT_EQ(learner.EncodeState(alone), learner.EncodeState(asked));
  const Answer apart = Ask(learner, state, batch, scratch, {.raw = true}).value();
  EXPECT_EQ(answer["quantiles"], apart["quantiles"]);
}

// The learner survives being stored at any point, and goes on to the same bits.
TEST(CalibrationTest, SurvivesBeingStored) {
  for (const std::string& likelihood : LikelihoodNames()) {
    SCOPED_TRACE(likelihood);
    const Learner learner = Learner::Create(Configured(likelihood, "online")).value();
    const LearnerState state = FoldedState(learner, likelihood, 12);
    const LearnerState read = learner.DecodeState(learner.EncodeState(state)).value();
    Scratch one, other;
    LearnerState next, after;
    const Batch batch = Misfit(likelihood, 10, 77);
    ASSERT_TRUE(learner.Update(state, batch, one, next).ok());
    ASSERT_TRUE(learner.Update(read, batch, other, after).ok());
    EXPECT_EQ(learner.EncodeState(next), learner.EncodeState(after));
    const Learner without = Learner::Create(Configured(likelihood, "none")).value();
    EXPECT_EQ(without.DecodeState(learner.EncodeState(state)).status().code(),
              absl::StatusCode::kFailedPrecondition);
  }
}

// A belief that inflates has a wide log rate, and so a mean far above what is counted. The one that
// is served is right.
TEST(CalibrationTest, MeansOfCountsComeTrueOnTheWhole) {
  LearnerConfig config = Configured("negative_binomial", "online");
  config.dynamics = {"inflation", {{"rate", 0.03}}};
  const Learner learner = Learner::Create(config).value();
  LearnerState state = learner.Initial(), next;
  Scratch scratch;
  double counted = 0, predicted = 0, own = 0;
  for (std::uint64_t t = 0; t < 4000; ++t) {
    const Batch batch = BatchFor("negative_binomial", 2, 1, t);
    if (t >= 1000) {
      counted += batch.targets.sum();
      predicted += Ask(learner, state, batch, scratch).value()["mean"].sum();
      own += Ask(learner, state, batch, scratch, {.raw = true}).value()["mean"].sum();
    }
    ASSERT_TRUE(learner.Update(state, batch, scratch, next).ok());
    std::swap(state, next);
  }
  EXPECT_GT(own / counted, 1.1);
  EXPECT_NEAR(predicted / counted, 1, 0.02);
}

// Its means were predicted before any row was learned.
TEST(CalibrationTest, TheFirstMinibatchSaysNothingOfMeans) {
  const Learner learner = Learner::Create(Configured("poisson", "online")).value();
  EXPECT_EQ(FoldedState(learner, "poisson", 1).calibration.balance.predicted[0], 0);
  EXPECT_GT(FoldedState(learner, "poisson", 2).calibration.balance.predicted[0], 0);
}

// Noise that comes and goes is beyond the model: its own intervals do not hold, those served do.
TEST(CalibrationTest, IntervalsHoldWhereTheModelIsWrong) {
  const Learner learner = Learner::Create(Configured("gaussian", "online")).value();
  const LearnerState state = FoldedState(learner, "gaussian", 1000);
  const Scores served = state.evaluation.cumulative.Average();
  const Scores raw = state.evaluation.raw.cumulative.Average();
  EXPECT_GT(std::abs(raw["coverage50"] - 0.5), 0.05);
  EXPECT_NEAR(served["coverage50"], 0.5, 0.01);
  EXPECT_NEAR(served["coverage90"], 0.9, 0.01);
  EXPECT_NEAR(served["coverage95"], 0.95, 0.01);
  EXPECT_FALSE(raw.Has("rmse")) << "calibration does not change it";
}

}  // namespace
}  // namespace prequel::calibration_test
