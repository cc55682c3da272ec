// What is said of a model while it starts, serves, or cannot be read.
#include "server/rpc/models/model_answer.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "core/learner/learner.h"
#include "tests/server/engine/fake_world.h"

namespace prequel::model_answer_test {
namespace {

v1::Model Answer(const ModelInfo& info) {
  v1::Model model;
  InfoToProto(info, &model);
  return model;
}

TEST(ModelAnswerTest, OfAModelThatStartsHasItsConfigurationAndNoRevision) {
  ModelInfo info{.name = "a"};
  info.problem = absl::UnavailableError("is still being replayed from its log");
  info.replay = {.folded = 20, .records = 500};
  info.config = LinearConfig(2);
  const v1::Model model = Answer(info);
  EXPECT_EQ(model.state(), v1::Model::STATE_STARTING);
  EXPECT_FALSE(model.serving());
  EXPECT_FALSE(model.has_revision());
  EXPECT_FALSE(model.has_examples());
  EXPECT_EQ(model.replay().folded(), 20);
  EXPECT_EQ(model.replay().records(), 500);
  EXPECT_EQ(model.config().target().name(), info.config->target.name);
  EXPECT_EQ(model.config().features_size(), static_cast<int>(info.config->features.size()));
}

TEST(ModelAnswerTest, OfAModelThatCannotBeReadSaysWhy) {
  ModelInfo info{.name = "a"};
  info.problem = absl::DataLossError("its log is damaged");
  const v1::Model model = Answer(info);
  EXPECT_EQ(model.state(), v1::Model::STATE_FAILED);
  EXPECT_EQ(model.problem(), "its log is damaged");
  EXPECT_FALSE(model.has_replay());
  EXPECT_FALSE(model.has_revision());
}

TEST(ModelAnswerTest, OfAModelThatServesHasItsRevisionEvenBeforeItHasLearned) {
  ModelInfo info{.name = "a"};
  info.learner = std::make_shared<const Learner>(Learner::Create(LinearConfig(2)).value());
  info.published.state = std::make_shared<const LearnerState>(info.learner->Initial());
  const v1::Model model = Answer(info);
  EXPECT_EQ(model.state(), v1::Model::STATE_SERVING);
  EXPECT_TRUE(model.serving());
  EXPECT_TRUE(model.has_revision());
  EXPECT_EQ(model.revision(), 0);
  EXPECT_TRUE(model.has_examples());
}

}  // namespace
}  // namespace prequel::model_answer_test
