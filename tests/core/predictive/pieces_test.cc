// Long queries, in pieces.
#include "core/predictive/pieces.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "core/config/field_error.h"
#include "core/learner/learner.h"
#include "tests/core/streams.h"

namespace prequel::pieces_test {
namespace {

// After one minibatch.
class PiecesTest : public ::testing::Test {
 protected:
  PiecesTest()
      : learner_(Learner::Create(PlainConfig(3, "gaussian")).value()), state_(learner_.Initial()) {
    LearnerState next;
    EXPECT_TRUE(learner_.Update(state_, LinearBatch(3, 20, 0), scratch_, next).ok());
    std::swap(state_, next);
  }

  absl::StatusOr<Answer> Predict(const Batch& batch, int samples, const Pieces& pieces) {
    return learner_.Predict(state_, batch, *learner_.Ask({.samples = samples}), scratch_, pieces);
  }

  // Says so, and goes on so many times.
  Pieces Counted(Index rows, int most = 1 << 20) {
    return {rows, [this, most] {
              return ++asked_ <= most ? absl::OkStatus() : absl::CancelledError("enough");
            }};
  }

  Learner learner_;
  LearnerState state_;
  Scratch scratch_;
  int asked_ = 0;
};

TEST_F(PiecesTest, TheAnswerIsTheSame) {
  const Batch batch = LinearBatch(3, 10, 1);
  for (const int samples : {0, 50}) {
    const Answer whole = Predict(batch, samples, {}).value();
    const Answer pieces = Predict(batch, samples, Counted(3)).value();
    ASSERT_EQ(whole.outputs.size(), pieces.outputs.size());
    for (std::size_t i = 0; i < whole.outputs.size(); ++i) {
      EXPECT_TRUE(whole.outputs[i].values.isApprox(pieces.outputs[i].values, 1e-13))
          << whole.outputs[i].name << ", " << samples;
    }
  }
}

TEST_F(PiecesTest, EndBetweenRows) {
  const Batch batch = LinearBatch(3, 10, 1);
  EXPECT_TRUE(Predict(batch, 0, Counted(3)).ok());
  EXPECT_EQ(asked_, 3);
  asked_ = 0;
  EXPECT_EQ(Predict(batch, 0, Counted(3, 1)).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(asked_, 2);
  asked_ = 0;
  EXPECT_TRUE(Predict(batch, 0, Counted(10)).ok());
  EXPECT_EQ(asked_, 0);
}

// A draw of a thousand weights that vary together takes a million steps.
TEST_F(PiecesTest, EndBetweenDraws) {
  LearnerConfig config = PlainConfig(1000, "gaussian");
  config.posterior.name = "full";
  const Learner large = Learner::Create(config).value();
  const Batch row = LinearBatch(1000, 1, 1);
  const QuerySet queries = *large.Ask({.samples = 20});
  EXPECT_TRUE(large.Predict(large.Initial(), row, queries, scratch_, Counted(1)).ok());
  EXPECT_EQ(asked_, 1 + 20);  // before the factorisation, and before each draw
  asked_ = 0;
  EXPECT_EQ(large.Predict(large.Initial(), row, queries, scratch_, Counted(1, 2)).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(asked_, 3);
}

TEST_F(PiecesTest, ARowThatHasNoFinitePredictionIsNamed) {
  LearnerConfig config = PlainConfig(2, "bernoulli");
  config.prior.options["precision"] = 1e-10;
  const Learner wide = Learner::Create(config).value();
  const auto status = [&](int samples, double input) {
    Batch batch = LinearBatch(2, 10, 1);
    batch.inputs.col(7).setConstant(input);
    const QuerySet queries = *wide.Ask({.samples = samples, .queries = {{"logits", {}}}});
    return wide.Predict(wide.Initial(), batch, queries, scratch_, Counted(3)).status();
  };
  EXPECT_TRUE(status(0, 1e140).ok());
  EXPECT_TRUE(status(20, 1e140).ok());
  for (const absl::Status& extreme : {status(0, 1e152), status(20, 1e152)}) {
    EXPECT_EQ(extreme.code(), absl::StatusCode::kInvalidArgument) << extreme;
    EXPECT_EQ(FieldOf(extreme), "batch.inputs[7]");
  }
}

}  // namespace
}  // namespace prequel::pieces_test
