#include "server/observe/recent_models.h"

#include <gmock/gmock.h>

#include <string>
#include <vector>

namespace prequel::recent_models_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Names(const RecentModels& models) {
  std::vector<std::string> names;
  for (const RecentModels::Entry& entry : models.All()) names.push_back(entry.name);
  return names;
}

TEST(RecentModelsTest, TheOneThatWasNotUsedForTheLongestMakesRoom) {
  RecentModels models(2);
  models.OnPredict("a", 1, {}, absl::OkStatus());
  models.OnUpdate("b", 1, {}, absl::OkStatus());
  models.OnPredict("a", 1, {}, absl::OkStatus());
  EXPECT_THAT(Names(models), ElementsAre("a", "b"));
  models.OnReplayDone("c", absl::OkStatus());
  EXPECT_THAT(Names(models), ElementsAre("c", "a"));
  models.OnReplayDone("d", absl::DataLossError("it cannot be read"));
  EXPECT_THAT(Names(models), ElementsAre("c", "a"));
}

TEST(RecentModelsTest, KnowsWhenEachLearned) {
  RecentModels models(2);
  models.OnPredict("a", 1, {}, absl::OkStatus());
  models.OnUpdate("a", 1, {}, absl::InternalError("it does not converge"));
  EXPECT_FALSE(models.All()[0].learned.has_value());
  models.OnUpdate("a", 1, {}, absl::OkStatus());
  ASSERT_TRUE(models.All()[0].learned.has_value());
  const auto learned = *models.All()[0].learned;
  models.OnPredict("a", 1, {}, absl::OkStatus());
  EXPECT_EQ(models.All()[0].learned, learned);
}

TEST(RecentModelsTest, ForgetsWhatWasDeleted) {
  RecentModels models(2);
  models.OnPredict("a", 1, {}, absl::OkStatus());
  models.Forget("a");
  models.Forget("a");
  EXPECT_THAT(models.All(), IsEmpty());
  models.OnPredict("b", 1, {}, absl::OkStatus());
  EXPECT_THAT(Names(models), ElementsAre("b"));
}

TEST(RecentModelsTest, MayHaveNone) {
  RecentModels models(0);
  models.OnPredict("a", 1, {}, absl::OkStatus());
  EXPECT_THAT(models.All(), IsEmpty());
}

}  // namespace
}  // namespace prequel::recent_models_test
