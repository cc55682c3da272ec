// A row whose label is no class of the model is refused alone: to the rest of its minibatch it is
// as if it had not been there.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/learner/learner.h"
#include "tests/core/belief_of.h"
#include "tests/core/streams.h"

namespace prequel::refused_rows_test {
namespace {

constexpr Index kInputs = 2;

LearnerConfig ThreeClasses() {
  LearnerConfig config = PlainConfig(kInputs, "categorical");
  config.target.num_classes = 3;
  config.target.allow_missing = true;
  return config;
}

Batch OfClasses(const std::vector<double>& targets, std::uint64_t step) {
  Batch batch;
  batch.inputs = Normals(kInputs, static_cast<Index>(targets.size()), 1, step);
  batch.targets = Eigen::Map<const Matrix>(targets.data(), 1, batch.inputs.cols());
  return batch;
}

Batch OfLabels(const std::vector<std::string>& labels, std::uint64_t step) {
  Batch batch;
  batch.inputs = Normals(kInputs, static_cast<Index>(labels.size()), 1, step);
  batch.labels = labels;
  return batch;
}

class RefusedRowsTest : public testing::Test {
 protected:
  explicit RefusedRowsTest(const LearnerConfig& config = ThreeClasses())
      : learner_(*Learner::Create(config)), state_(learner_.Initial()) {}

  // Folds `batch` into `state`.
  Learned Learn(const Batch& batch, LearnerState& state) {
    EXPECT_TRUE(learner_.CheckBatch(batch).ok()) << learner_.CheckBatch(batch);
    LearnerState next;
    const absl::StatusOr<Learned> learned = learner_.Update(state, batch, scratch_, next);
    EXPECT_TRUE(learned.ok()) << learned.status();
    state = std::move(next);
    return learned.ok() ? *learned : Learned();
  }

  Learner learner_;
  Scratch scratch_;
  LearnerState state_;
};

// The same bits as of the minibatch without them, scores and all.
TEST_F(RefusedRowsTest, TheRestIsLearnedAsIfTheyWereNotThere) {
  for (std::uint64_t step = 0; step < 5; ++step) {
    Learn(OfClasses({0, 1, 2, 1, 0, 2}, step), state_);
  }
  const Batch whole = OfClasses({0, 7, 2, -1, 1.5, 1}, 9);
  Batch rest = whole;
  for (Index to = 0; const Index from : {0, 2, 5}) {
    rest.inputs.col(to) = whole.inputs.col(from);
    rest.targets.col(to++) = whole.targets.col(from);
  }
  rest.inputs.conservativeResize(kInputs, 3);
  rest.targets.conservativeResize(1, 3);

  LearnerState without = state_;
  const Learned want = Learn(rest, without);
  const Learned got = Learn(whole, state_);
  EXPECT_EQ(learner_.EncodeState(state_), learner_.EncodeState(without));
  EXPECT_EQ(got.scores.examples, 3);
  for (const NamedScore& score : want.scores) EXPECT_EQ(got.scores[score.name], score.value);
  EXPECT_EQ(got.report.rows, 3);
  EXPECT_EQ(got.report.skipped_rows, 0);
  EXPECT_EQ(got.refused.count, 3);
  ASSERT_EQ(got.refused.first.size(), 3U);
  EXPECT_EQ(got.refused.first[0].row, 1);
  EXPECT_EQ(got.refused.first[0].label, "7");
  EXPECT_EQ(got.refused.first[0].reason, "classes are 0..2");
  EXPECT_EQ(got.refused.first[2].row, 4);
  EXPECT_EQ(want.refused.count, 0);
}

// The new label that comes first gets the last class, whatever else its minibatch brings.
TEST_F(RefusedRowsTest, OfNewLabelsThoseWithoutRoom) {
  Learn(OfLabels({"a", "b"}, 1), state_);
  const Learned learned = Learn(OfLabels({"c", "d", "", "a", "d"}, 2), state_);
  EXPECT_EQ(learner_.Labels(state_), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(learned.report.rows, 2);
  EXPECT_EQ(learned.report.skipped_rows, 1);
  EXPECT_EQ(learned.refused.count, 2);
  EXPECT_EQ(learned.refused.first[1].row, 4);
  EXPECT_EQ(state_.examples, 4);
  EXPECT_EQ(state_.evaluation.skipped_rows, 1);
  EXPECT_EQ(state_.evaluation.cumulative.weight(), 4);
}

// As where every target is missing: only the revision moves.
TEST_F(RefusedRowsTest, WhereAllAreRefusedTheRevisionMovesOn) {
  Learn(OfClasses({0, 1, 2}, 1), state_);
  LearnerState missing = state_, before = state_;
  const double nan = std::nan("");
  Learn(OfClasses({nan, nan}, 2), missing);
  const Learned learned = Learn(OfClasses({3, 4}, 2), state_);
  EXPECT_EQ(learned.report.rows, 0);
  EXPECT_EQ(learned.refused.count, 2);
  EXPECT_EQ(learned.scores.size(), 0U);
  EXPECT_EQ(state_.revision, 2);
  missing.evaluation.skipped_rows = 0;
  EXPECT_EQ(learner_.EncodeState(state_), learner_.EncodeState(missing));
  before.revision = 2;
  EXPECT_EQ(learner_.EncodeState(state_), learner_.EncodeState(before));
}

TEST_F(RefusedRowsTest, AllAreAnswered) {
  Learn(OfClasses({0, 1, 2}, 1), state_);
  const Batch batch = OfClasses({0, 9, 1}, 2);
  const QuerySet queries = *learner_.Ask({});
  const absl::StatusOr<Answer> asked = learner_.Predict(state_, batch, queries, scratch_);
  LearnerState next;
  Answer told;
  const auto learned = learner_.Update(state_, batch, scratch_, next, &queries, &told);
  ASSERT_TRUE(asked.ok() && learned.ok()) << learned.status();
  EXPECT_EQ(learned->refused.count, 1);
  EXPECT_EQ(told["probabilities"], (*asked)["probabilities"]);
  EXPECT_EQ(told["probabilities"].cols(), 3);
}

}  // namespace
}  // namespace prequel::refused_rows_test
