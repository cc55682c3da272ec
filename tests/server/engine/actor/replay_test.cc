// Restart: the same bits, however many workers; and what happens to what cannot be read.
#include <cstdint>
#include <latch>
#include <string>
#include <string_view>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::replay_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

// Stops the replay of models after some of the log.
class Holder final : public EngineObserver {
 public:
  void OnReplayProgress(std::string_view /*model*/, std::uint64_t records) override {
    if (records < 200) return;
    held_.count_down();
    released_.wait();
  }
  void AwaitHeld() { held_.wait(); }
  void Release() { released_.count_down(); }

 private:
  std::latch held_{1}, released_{1};
};

class ReplayTest : public EngineFixture {
 protected:
  static std::string Name(int model) { return "m" + std::to_string(model); }

  // Models of different sizes, all learning at once; some minibatches fail.
  std::vector<std::string> LearnManyModels(int workers) {
    constexpr int kModels = 5, kBatches = 60;
    options_.workers = workers;
    disk_ = std::make_shared<MemoryDisk>();
    Start();
    for (int m = 0; m < kModels; ++m) EXPECT_TRUE(Create(Name(m), m + 1).ok());
    std::vector<std::future<Outcome>> answers;
    for (int i = 0; i < kBatches; ++i) {
      for (int m = 0; m < kModels; ++m) {
        const bool divergent = i == 17 && m == 2;
        answers.push_back(Submit(Name(m), Request(divergent ? MakeDivergentBatch(m + 1)
                                                            : MakeBatch(i, m + 1, 1 + i % 7))));
      }
    }
    int failed = 0;
    for (auto& answer : answers) failed += answer.get().ok() ? 0 : 1;
    EXPECT_EQ(failed, 1);
    return AllStates();
  }

  std::vector<std::string> AllStates() {
    std::vector<std::string> states;
    for (const ModelInfo& info : engine_->ListModels("", 100)) {
      states.push_back(StateBytes(info.name));
    }
    return states;
  }
};

TEST_F(ReplayTest, IsBitIdenticalForAnyNumberOfWorkersAndAfterARestart) {
  const std::vector<std::string> one = LearnManyModels(1);
  ASSERT_EQ(one.size(), 5u);
  for (const int workers : {2, 8}) {
    EXPECT_EQ(LearnManyModels(workers), one) << workers << " workers";
    for (const int after : {1, 2, 8}) {
      options_.workers = after;
      Start();
      EXPECT_EQ(AllStates(), one) << "replayed by " << after << " workers";
    }
  }
}

TEST_F(ReplayTest, AFailedUpdateStaysInTheLogAndCountsNoRevision) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  const std::string before = StateBytes("a");
  const absl::Status failed = Learn("a", MakeDivergentBatch()).status();
  EXPECT_EQ(failed.code(), Code::kInternal) << failed;
  EXPECT_EQ(StateBytes("a"), before);
  EXPECT_EQ(engine_->GetPublished("a")->revision, 1);
  EXPECT_EQ(engine_->GetPublished("a")->next_offset, 2u);
  Start();
  EXPECT_EQ(StateBytes("a"), before);
  EXPECT_EQ(engine_->GetPublished("a")->next_offset, 2u);
  EXPECT_EQ(Learn("a", MakeBatch(2))->revision, 2);
}

TEST_F(ReplayTest, SaysHowFarItIsWhileItStarts) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  const LearnerConfig config = engine_->GetModel("a")->learner->config();
  for (int i = 0; i < 400; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i, 2, 1)).ok());
  Stop();
  store_ = MemoryStore::Open(disk_, store_options_).value();
  Holder holder;
  observer_ = &holder;
  options_.workers = 1;
  engine_ = Engine::Create(options_, Parts()).value();
  holder.AwaitHeld();
  const ModelInfo starting = engine_->GetModel("a").value();
  holder.Release();
  engine_->AwaitReady();
  EXPECT_EQ(starting.problem.code(), Code::kUnavailable);
  ASSERT_TRUE(starting.replay.has_value());
  EXPECT_LE(starting.replay->folded, 400);
  EXPECT_EQ(starting.replay->records, 400);
  EXPECT_EQ(starting.learner->config(), config);
  EXPECT_EQ(starting.published.state, nullptr);
  EXPECT_EQ(engine_->GetModel("a")->replay, std::nullopt);
  engine_.reset();
  observer_ = &silent_;
}

TEST_F(ReplayTest, KnowsTheConfigurationBeforeThereIsALearner) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  const LearnerConfig config = engine_->GetModel("b")->learner->config();
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  options_.max_model_bytes = 1;  // so that neither can be made
  Start();
  const ModelInfo failed = engine_->GetModel("b").value();
  EXPECT_EQ(failed.learner, nullptr);
  EXPECT_EQ(failed.replay, std::nullopt) << "it does not start any more";
  EXPECT_EQ(failed.config, config);
}

TEST_F(ReplayTest, ReplaysMoreThanOneTurn) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  for (int i = 0; i < 256; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i, 2, 1)).ok());
  Start();
  EXPECT_EQ(Revision("a"), 256);
  for (int i = 0; i < 300; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i, 2, 1)).ok());
  const std::string before = StateBytes("a");
  Start();
  EXPECT_EQ(Revision("a"), 556);
  EXPECT_EQ(StateBytes("a"), before);
}

TEST_F(ReplayTest, ADamagedRecordStopsThatModelOnly) {
  Start();
  for (const char* name : {"a", "b", "c"}) {
    ASSERT_TRUE(Create(name).ok());
    for (int i = 0; i < 5; ++i) ASSERT_TRUE(Learn(name, MakeBatch(i)).ok());
  }
  const LogId damaged = Stored("b").log;
  Stop();
  disk_->CorruptRecord(damaged, 3);
  Start();
  const ModelInfo info = engine_->GetModel("b").value();
  EXPECT_EQ(info.problem.code(), Code::kDataLoss);
  EXPECT_THAT(std::string(info.problem.message()), HasSubstr("model b"));
  EXPECT_THAT(std::string(info.problem.message()), HasSubstr("offset 3"));
  EXPECT_NE(info.learner, nullptr) << "its configuration can still be shown";
  EXPECT_EQ(Learn("b", MakeBatch(9)).status().code(), Code::kDataLoss);
  EXPECT_EQ(Predict("b", MakeBatch(9)).status().code(), Code::kDataLoss);
  EXPECT_EQ(Create("b").code(), Code::kAlreadyExists);
  for (const char* name : {"a", "c"}) {
    EXPECT_EQ(Revision(name), 5);
    EXPECT_TRUE(Learn(name, MakeBatch(9)).ok());
  }
  EXPECT_TRUE(engine_->DeleteModel("b").ok());
  EXPECT_TRUE(Create("b").ok());
  EXPECT_TRUE(Learn("b", MakeBatch(9)).ok());
}

TEST_F(ReplayTest, AnUnreadableConfigurationStopsThatModelOnly) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Create("b").ok());
  ASSERT_TRUE(store_->CreateModel("c", "nonsense", 0, nullptr).ok());
  Stop();
  disk_->CorruptModel("a");
  Start();
  EXPECT_EQ(engine_->GetModel("a")->problem.code(), Code::kDataLoss);
  EXPECT_EQ(engine_->GetModel("a")->learner, nullptr);
  EXPECT_EQ(engine_->GetModel("c")->problem.code(), Code::kInvalidArgument);
  EXPECT_TRUE(Learn("b", MakeBatch(9)).ok());
  EXPECT_TRUE(engine_->DeleteModel("a").ok());
  Start();
  EXPECT_EQ(engine_->ListModels("", 10).size(), 2u);
}

TEST_F(ReplayTest, AMinibatchThatNoLongerFitsStopsThatModel) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  ASSERT_TRUE(Learn("a", MakeBatch(1)).ok());
  Delivery lie = Request(MakeBatch(2));
  std::get<Minibatch>(lie.record).payload = "not what was submitted";
  ASSERT_TRUE(Submit("a", std::move(lie)).get().ok());
  Start();
  EXPECT_FALSE(engine_->GetModel("a")->problem.ok());
  EXPECT_THAT(std::string(engine_->GetModel("a")->problem.message()), HasSubstr("offset 1"));
}

// Replay on a stopped engine: nothing hangs, and the models are not served half-way.
TEST_F(ReplayTest, CanBeInterrupted) {
  Start();
  ASSERT_TRUE(Create("a", 8).ok());
  for (int i = 0; i < 600; ++i) ASSERT_TRUE(Learn("a", MakeBatch(i, 8, 4)).ok());
  Stop();
  store_ = MemoryStore::Open(disk_).value();
  auto engine = Engine::Create(options_, Parts()).value();
  const absl::StatusOr<Published> published = engine->GetPublished("a");
  if (published.ok()) {
    EXPECT_EQ(published->revision, 600);
  } else {
    EXPECT_EQ(published.status().code(), Code::kUnavailable);
  }
  engine->Shutdown(clock_.Now());
  engine->AwaitReady();
}

}  // namespace
}  // namespace prequel::replay_test
