// Models as resources, and one minibatch at a time.
#include "server/engine/engine.h"

#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel::engine_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Code = absl::StatusCode;

class EngineTest : public EngineFixture {
 protected:
  EngineTest() { Start(); }

  std::vector<std::string> List(std::string_view after, int limit) {
    std::vector<std::string> names;
    for (const ModelInfo& info : engine_->ListModels(after, limit)) names.push_back(info.name);
    return names;
  }
};

TEST_F(EngineTest, ShowsAModelAsCreated) {
  const auto created = engine_->CreateModel("prices", LinearConfig(3));
  ASSERT_TRUE(created.ok()) << created.status();
  const ModelInfo info = engine_->GetModel("prices").value();
  EXPECT_EQ(info.name, "prices");
  EXPECT_EQ(info.create_time, clock_.Now());
  EXPECT_TRUE(info.problem.ok());
  EXPECT_EQ(info.published.revision, 0);
  EXPECT_EQ(info.learner->num_input_columns(), 3);
  EXPECT_EQ(info.published.state->revision, 0);
  EXPECT_EQ(engine_->GetModel("other").status().code(), Code::kNotFound);
}

TEST_F(EngineTest, RefusesBadNamesAndConfigurations) {
  for (const std::string& name :
       {std::string(), std::string("A"), std::string("1a"), std::string("-a"), std::string("a_b"),
        std::string("a/b"), std::string("\xc3\xa9"), std::string(64, 'a')}) {
    const absl::Status status = Create(name);
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << name;
    EXPECT_EQ(FieldOf(status), "model_id");
  }
  EXPECT_TRUE(Create("a").ok());
  EXPECT_TRUE(Create("a-0-" + std::string(59, 'z')).ok());
  EXPECT_EQ(Create("a").code(), Code::kAlreadyExists);
  LearnerConfig config = LinearConfig(2);
  config.rule.name = "magic";
  EXPECT_EQ(engine_->CreateModel("b", config).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(engine_->GetModel("b").status().code(), Code::kNotFound);
}

TEST_F(EngineTest, HostsNoMoreThanItsLimit) {
  options_.max_models = 2;
  Start();
  EXPECT_TRUE(Create("a").ok());
  EXPECT_TRUE(Create("b").ok());
  EXPECT_EQ(Create("c").code(), Code::kResourceExhausted);
  EXPECT_TRUE(engine_->DeleteModel("a").ok());
  EXPECT_TRUE(Create("c").ok());
}

TEST_F(EngineTest, ListsInOrderPageByPage) {
  for (const char* name : {"c", "a", "d", "b"}) ASSERT_TRUE(Create(name).ok());
  EXPECT_THAT(List("", 100), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(List("", 2), ElementsAre("a", "b"));
  EXPECT_THAT(List("b", 2), ElementsAre("c", "d"));
  EXPECT_THAT(List("bb", 1), ElementsAre("c"));
  EXPECT_THAT(List("d", 5), IsEmpty());
  EXPECT_THAT(List("", 0), IsEmpty());
}

TEST_F(EngineTest, ADeletedModelIsGoneAndItsNameFree) {
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  ASSERT_TRUE(engine_->DeleteModel("a").ok());
  EXPECT_EQ(engine_->DeleteModel("a").code(), Code::kNotFound);
  EXPECT_EQ(Learn("a", MakeBatch(1)).status().code(), Code::kNotFound);
  EXPECT_EQ(engine_->GetPublished("a").status().code(), Code::kNotFound);
  ASSERT_TRUE(Create("a", 3).ok());
  EXPECT_EQ(Revision("a"), 0);
  Start();
  EXPECT_EQ(engine_->GetModel("a")->learner->num_input_columns(), 3);
  EXPECT_EQ(Revision("a"), 0);
}

TEST_F(EngineTest, LearnsAsTheLearnerDoes) {
  ASSERT_TRUE(Create("a").ok());
  const Learner learner = Learner::Create(LinearConfig(2)).value();
  LearnerState state = learner.Initial();
  Scratch scratch;
  for (int i = 0; i < 20; ++i) {
    LearnerState next = learner.Initial();
    const Learned expected = learner.Update(state, MakeBatch(i), scratch, next).value();
    state = std::move(next);
    const Outcome outcome = Learn("a", MakeBatch(i));
    ASSERT_TRUE(outcome.ok()) << outcome.status();
    EXPECT_EQ(outcome->revision, i + 1);
    EXPECT_EQ(outcome->learned.scores["nll"], expected.scores["nll"]);
    EXPECT_EQ(outcome->learned.report.rows, 8);
    EXPECT_TRUE(outcome->predictions.outputs.empty());
  }
  EXPECT_EQ(StateBytes("a"), learner.EncodeState(state));
}

TEST_F(EngineTest, PredictsThenLearnsInOneStep) {
  ASSERT_TRUE(Create("a").ok());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i)).ok());
  const PredictOutcome before = Predict("a", MakeBatch(9)).value();
  EXPECT_EQ(before.revision, 5);
  const Question question = engine_->Ask("a", PredictOptions(), {.count = 8}).value();
  const Outcome outcome = Submit(question, Request(MakeBatch(9))).get();
  ASSERT_TRUE(outcome.ok()) << outcome.status();
  EXPECT_EQ(outcome->revision, 6);
  ASSERT_NE(outcome->predictions.Find("mean"), nullptr);
  EXPECT_EQ(outcome->predictions["mean"], before.predictions["mean"]);
  EXPECT_NE(Predict("a", MakeBatch(9))->predictions["mean"], before.predictions["mean"]);
}

TEST_F(EngineTest, RefusesBadMinibatchesBeforeTheLog) {
  options_.max_batch_rows = 100;
  options_.max_batch_bytes = 1000;
  Start();
  ASSERT_TRUE(Create("a").ok());
  const int writes = disk_->writes();
  EXPECT_EQ(Learn("b", MakeBatch(1)).status().code(), Code::kNotFound);
  EXPECT_EQ(Learn("a", MakeBatch(1, 3)).status().code(), Code::kInvalidArgument);
  Batch infinite = MakeBatch(1);
  infinite.inputs(1, 3) = INFINITY;
  EXPECT_EQ(Learn("a", infinite).status().code(), Code::kInvalidArgument);
  const absl::Status rows = Learn("a", MakeBatch(1, 2, 101)).status();
  EXPECT_THAT(std::string(rows.message()), HasSubstr("101 rows"));
  EXPECT_EQ(rows.code(), Code::kInvalidArgument);
  const absl::Status bytes = Learn("a", MakeBatch(1, 2, 99)).status();
  EXPECT_THAT(std::string(bytes.message()), HasSubstr("bytes"));
  EXPECT_EQ(bytes.code(), Code::kInvalidArgument);
  EXPECT_EQ(disk_->writes(), writes);
  EXPECT_EQ(Predict("a", MakeBatch(1, 3)).status().code(), Code::kInvalidArgument);
  EXPECT_EQ(Predict("b", MakeBatch(1)).status().code(), Code::kNotFound);
}

TEST_F(EngineTest, ChecksItsOptions) {
  Stop();
  EngineOptions bad;
  bad.max_queued_batches = 0;
  const auto store = MemoryStore::Open(disk_).value();
  const absl::Status status =
      Engine::Create(bad, {*store, *store, *store, codec_, clock_, {}}).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_EQ(FieldOf(status), "max_queued_batches");
}

}  // namespace
}  // namespace prequel::engine_test
