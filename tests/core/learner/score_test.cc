// Scores of rows that are not learned: what an update would say of each, were it the next.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::score_test {
namespace {

LearnerConfig DefaultConfig(const std::string& likelihood) {
  LearnerConfig config;
  config.features = {{.name = "x", .width = 2},
                     {.name = "c", .kind = FeatureConfig::Kind::kCategorical, .max_categories = 3}};
  config.target.name = "y";
  if (likelihood == "categorical") config.target.num_classes = 3;
  config.target.allow_missing = true;
  config.likelihood.name = likelihood;
  return config;
}

// Of the categories "0", "1" and so on, `categories` of them.
Batch RowsFor(const std::string& likelihood, Index rows, std::uint64_t step, Index categories = 2) {
  Batch batch = BatchFor(likelihood, 2, rows, step);
  batch.text.emplace_back();
  for (Index i = 0; i < rows; ++i) batch.text[0].push_back(std::to_string(i % categories));
  return batch;
}

struct Served {
  explicit Served(const LearnerConfig& config, int minibatches = 12)
      : learner(Learner::Create(config).value()), state(learner.Initial()) {
    for (int t = 0; t < minibatches; ++t) {
      const auto step = static_cast<std::uint64_t>(t);
      Learn(RowsFor(config.likelihood.name, 16, step));
    }
  }

  void Learn(const Batch& batch) {
    LearnerState next;
    EXPECT_TRUE(learner.Update(state, batch, scratch, next).ok());
    state = std::move(next);
  }

  absl::StatusOr<Scored> Score(const Batch& batch, const PredictOptions& options = {.scores = true},
                               const Pieces& pieces = {}) {
    const absl::StatusOr<QuerySet> queries = learner.Ask(options);
    if (!queries.ok()) return queries.status();
    if (absl::Status status = learner.CheckTargets(batch); !status.ok()) return status;
    return learner.Score(state, batch, *queries, scratch, pieces);
  }

  Learner learner;
  Scratch scratch;
  LearnerState state;
};

Batch RowOf(const Batch& all, Index row) {
  Batch one;
  SelectRows(all, {row}, one);
  return one;
}

// The averages of what updates by single rows, all of the same state, say of their rows.
std::map<std::string, double> ByUpdates(Served& served, const Batch& batch) {
  std::map<std::string, double> sums;
  for (Index i = 0; i < batch.rows(); ++i) {
    LearnerState next;
    const Learned learned =
        served.learner.Update(served.state, RowOf(batch, i), served.scratch, next).value();
    for (const NamedScore& score : learned.scores) {
      const double value = score.name == "rmse" ? score.value * score.value : score.value;
      sums[std::string(score.name)] += value / static_cast<double>(batch.rows());
    }
  }
  if (sums.contains("rmse")) sums["rmse"] = std::sqrt(sums["rmse"]);
  sums.erase("ece");  // no average over rows
  return sums;
}

class ScoreTest : public testing::TestWithParam<std::string> {};

TEST_P(ScoreTest, IsWhatAnUpdateByEachRowAloneSays) {
  Served served(DefaultConfig(GetParam()));
  const Batch batch = RowsFor(GetParam(), 40, 99, 5);
  const std::map<std::string, double> expected = ByUpdates(served, batch);
  const std::string before = served.learner.EncodeState(served.state);
  const absl::StatusOr<Scored> scored = served.Score(batch);
  ASSERT_TRUE(scored.ok()) << scored.status();
  EXPECT_EQ(scored->scores.examples, 40);
  EXPECT_GE(expected.size(), 3U);
  for (const auto& [name, value] : expected) {
    EXPECT_NEAR(scored->scores[name], value, 1e-11 * std::abs(value) + 1e-12) << name;
  }
  EXPECT_EQ(served.learner.EncodeState(served.state), before);
}

// However the rows are cut, the scores are the same but for the order in which they are added.
TEST_P(ScoreTest, OfPiecesIsThatOfTheWhole) {
  Served served(DefaultConfig(GetParam()));
  const Batch batch = RowsFor(GetParam(), 50, 99);
  const Scored whole = served.Score(batch).value();
  const Scored pieces = served.Score(batch, {.scores = true}, {.rows = 7}).value();
  ASSERT_GT(whole.scores.size(), 0U);
  for (const NamedScore& score : whole.scores) {
    EXPECT_NEAR(pieces.scores[score.name], score.value, 1e-12 * (1 + std::abs(score.value)))
        << score.name;
  }
  EXPECT_EQ(pieces.unseen_categories, whole.unseen_categories);
}

INSTANTIATE_TEST_SUITE_P(All, ScoreTest, testing::ValuesIn(LikelihoodNames()));

TEST(Score, CountsWhatItDoesNotScore) {
  Served served(DefaultConfig("categorical"));
  Batch batch = RowsFor("categorical", 6, 99);
  batch.targets << 0, 1, 7, std::nan(""), 2, 0;
  batch.text[0] = {"0", "1", "new", "new", "new", "other"};
  const Scored scored = served.Score(batch).value();
  EXPECT_EQ(scored.scores.examples, 4);
  EXPECT_EQ(scored.skipped_rows, 1);
  ASSERT_EQ(scored.refused.count, 1);
  EXPECT_EQ(scored.refused.first[0].row, 2);
  EXPECT_EQ(scored.unseen_categories, 2);
  EXPECT_EQ(scored.unscored_rows, 0);
}

// Targets that are to be standardised have no unit before there are two.
TEST(Score, OfAModelThatKnowsNothingIsNone) {
  Served served(DefaultConfig("gaussian"), 0);
  const Scored scored = served.Score(RowsFor("gaussian", 5, 1)).value();
  EXPECT_EQ(scored.scores.examples, 0);
  EXPECT_EQ(scored.unscored_rows, 5);
}

// Whatever else the batch holds.
TEST(Score, ALabelThatTheModelDoesNotKnowIsRefused) {
  Served served(DefaultConfig("categorical"), 0);
  Batch batch = RowsFor("categorical", 3, 1);
  batch.targets.resize(0, 0);
  batch.labels = {"a", "b", "a"};
  EXPECT_EQ(served.Score(batch)->unscored_rows, 3);
  served.Learn(batch);
  batch.labels = {"c", "b", "d"};
  const Scored scored = served.Score(batch).value();
  EXPECT_EQ(scored.scores.examples, 1);
  ASSERT_EQ(scored.refused.count, 2);
  EXPECT_EQ(scored.refused.first[0].reason, "the model has 3 classes and knows \"a\", \"b\"");
  EXPECT_EQ(served.learner.Labels(served.state), (std::vector<std::string>{"a", "b"}));
}

// Labels, times, several targets and float32: each as updates by single rows have them.
TEST(Score, OfEveryKindOfBatchIsWhatUpdatesSay) {
  const double nan = std::nan("");
  LearnerConfig two = DefaultConfig("gaussian"), packed = two,
                labelled = DefaultConfig("categorical");
  two.target.width = 2;
  packed.dynamics.name = "static";
  packed.posterior = {"diagonal", {{"storage", std::string("float32")}}};
  for (const LearnerConfig& config : {two, packed, labelled, DefaultConfig("poisson")}) {
    SCOPED_TRACE(config.likelihood.name + std::to_string(config.target.width));
    Served served(config, 0);
    const auto rows = [&](std::uint64_t step) {
      Batch batch = RowsFor(config.likelihood.name, 30, step);
      batch.times = 30 * static_cast<double>(step) + Vector::LinSpaced(30, 0, 29).array();
      if (config.target.width == 2) {
        batch.targets.conservativeResize(2, 30);
        batch.targets.row(1) = batch.inputs.row(0);
      }
      if (config.likelihood.name == "categorical") {
        for (Index i = 0; i < 30; ++i) {
          batch.labels.push_back("class " + std::to_string(static_cast<int>(batch.targets(0, i))));
        }
        batch.targets.resize(0, 0);
      }
      return batch;
    };
    for (std::uint64_t step = 0; step < 4; ++step) served.Learn(rows(step));
    Batch batch = rows(5);
    batch.times[7] = 10;  // earlier than rows that were learned
    const std::map<std::string, double> expected = ByUpdates(served, batch);
    for (const Index piece : {256, 4}) {
      const Scored scored = served.Score(batch, {.scores = true}, {.rows = piece}).value();
      EXPECT_EQ(scored.scores.examples, 30);
      for (const auto& [name, value] : expected) {
        EXPECT_NEAR(scored.scores[name], value, 1e-11 * std::abs(value) + 1e-12) << name;
      }
    }
    if (!batch.labels.empty()) continue;
    batch.targets(0, 3) = nan;
    EXPECT_EQ(served.Score(batch)->skipped_rows, 1);
  }
}

// The row is named as it stands in the batch, whatever is skipped before it.
TEST(Score, ARowThatIsTooExtremeIsNamed) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.prior.options["precision"] = 1e-10;
  config.target.labels = {"no", "yes"};
  config.target.allow_missing = true;
  Served wide(config, 0);
  Batch batch;
  batch.inputs = Normals(2, 6, 1);
  batch.labels = {"yes", "", "never", "no", "yes", "no"};
  EXPECT_EQ(wide.Score(batch)->scores.examples, 4);
  batch.inputs.col(4).setConstant(1e152);
  for (const Index piece : {256, 2}) {
    const absl::StatusOr<Scored> scored = wide.Score(batch, {.scores = true}, {.rows = piece});
    EXPECT_TRUE(absl::IsInvalidArgument(scored.status())) << scored.status();
    EXPECT_EQ(FieldOf(scored.status()), "batch.inputs[4]");
  }
}

TEST(Score, RefusesWhatGoesWithPredictionsAlone) {
  Served served(DefaultConfig("gaussian"), 1);
  const Batch batch = RowsFor("gaussian", 2, 99);
  const auto field = [&](const PredictOptions& options) {
    const absl::StatusOr<Scored> scored = served.Score(batch, options);
    return FieldOf(scored.status()).value_or("");
  };
  EXPECT_EQ(field({.scores = true}), "");
  EXPECT_EQ(field({.samples = 10, .scores = true}), "options.samples");
  EXPECT_EQ(field({.raw = true, .scores = true}), "options.raw");
  EXPECT_EQ(field({.scores = true, .queries = {{"moments", {}}}}), "options.queries");
}

TEST(Score, NeedsTargetsAndEndsWhenItIsNotWanted) {
  Served served(DefaultConfig("gaussian"));
  Batch batch = RowsFor("gaussian", 20, 99);
  int asked = 0;
  const auto stop = [&] { return ++asked > 1 ? absl::CancelledError("gone") : absl::OkStatus(); };
  const absl::StatusOr<Scored> stopped =
      served.Score(batch, {.scores = true}, {.rows = 4, .proceed = stop});
  EXPECT_TRUE(absl::IsCancelled(stopped.status())) << stopped.status();
  batch.targets.resize(0, 0);
  EXPECT_TRUE(absl::IsInvalidArgument(served.Score(batch).status()));
}

// Those of a minibatch that is learned are counted in its report and in the evaluation.
TEST(UnseenCategories, AreCountedWhereTheyAreLearned) {
  Served served(DefaultConfig("gaussian"), 0);
  LearnerState next;
  const auto learn = [&](std::vector<std::string> values) {
    Batch batch = BatchFor("gaussian", 2, static_cast<Index>(values.size()), 1);
    batch.text = {std::move(values)};
    const Learned learned =
        served.learner.Update(served.state, batch, served.scratch, next).value();
    served.state = next;
    return learned.unseen_categories;
  };
  EXPECT_EQ(learn({"a", "b", "a"}), 0);  // to a model that has learned nothing all are new
  EXPECT_EQ(learn({"a", "b", "b"}), 0);
  EXPECT_EQ(learn({"c", "d", "c", "a"}), 3);
  EXPECT_EQ(learn({"c", "d", "d"}), 2);  // there are three slots, and d has none
  EXPECT_EQ(served.state.evaluation.unseen_categories, 5);
}

}  // namespace
}  // namespace prequel::score_test
