// Models as they were: time travel, rollback, forks and files, against the fold that was there.
#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "tests/server/engine/engine_fixture.h"

namespace prequel::history_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

class HistoryTest : public EngineFixture {
 protected:
  HistoryTest() {
    options_.snapshots.every_batches = 0;  // one is taken after every 10th by hand
    options_.snapshots.keep = 2;
  }

  // Learns numbered minibatches, remembering what every revision predicts.
  void LearnMany(int from, int to) {
    for (int i = from; i < to; ++i) {
      Delivery request = Request(MakeBatch(i));
      request.origin = {"p", i + 1};
      const Outcome outcome = Submit("a", std::move(request)).get();
      ASSERT_TRUE(outcome.ok()) << outcome.status();
      answers_[outcome->revision] = Ask("a");
    }
  }

  // The predictive of the newest revision, or of `revision`, to the last bit.
  std::vector<double> Ask(const std::string& name,
                          std::optional<std::int64_t> revision = std::nullopt) {
    const Batch batch = MakeBatch(1000);
    const PredictOptions options{.queries = {{.name = "logits"}, {.name = "quantiles"}}};
    const Question question = engine_->Ask(name, options, {.count = batch.rows()}).value();
    const absl::StatusOr<PredictOutcome> outcome = engine_->Answer(question, batch, revision);
    EXPECT_TRUE(outcome.ok()) << outcome.status();
    if (!outcome.ok()) return {};
    EXPECT_EQ(outcome->revision, revision.value_or(outcome->revision));
    std::vector<double> numbers;
    for (const Output& output : outcome->predictions.outputs) {
      numbers.insert(numbers.end(), output.values.data(),
                     output.values.data() + output.values.size());
    }
    return numbers;
  }

  void StartWith(int batches) {
    disk_ = std::make_shared<MemoryDisk>();
    answers_.clear();
    Start();
    ASSERT_TRUE(Create("a").ok());
    for (int from = 0; from < batches; from += 10) {
      if (from > 0) TakeSnapshot();
      LearnMany(from, std::min(from + 10, batches));
    }
  }

  void TakeSnapshot() {
    std::promise<absl::Status> done;
    engine_->CreateSnapshot("a", [&done](const absl::StatusOr<StoredSnapshot>& stored) {
      done.set_value(stored.status());
    });
    ASSERT_EQ(done.get_future().get(), absl::OkStatus());
  }

  std::map<std::int64_t, std::vector<double>> answers_;
};

TEST_F(HistoryTest, EveryKeptRevisionAnswersAsItDid) {
  for (const bool full : {false, true}) {
    options_.snapshots.full_history = full;
    StartWith(45);
    const Revisions revisions = engine_->ListRevisions("a").value();
    ASSERT_EQ(revisions.snapshots.size(), 2u);
    EXPECT_EQ(revisions.snapshots.front().revision, 30);
    EXPECT_EQ(revisions.oldest, full ? 0 : 30);
    for (const auto& [revision, answer] : answers_) {
      if (revision < revisions.oldest) continue;
      EXPECT_EQ(Ask("a", revision), answer) << revision;
    }
    const auto status = [&](std::int64_t revision) {
      return Predict("a", MakeBatch(1), revision).status();
    };
    if (!full) {
      EXPECT_EQ(status(revisions.oldest - 1).code(), Code::kOutOfRange);
      EXPECT_THAT(std::string(status(0).message()), HasSubstr("no longer kept"));
    }
    EXPECT_EQ(status(46).code(), Code::kOutOfRange);
    EXPECT_THAT(std::string(status(46).message()), HasSubstr("yet to come"));
  }
}

TEST_F(HistoryTest, ARollbackIsANewRevisionWithTheStateOfThen) {
  StartWith(45);
  const std::int64_t target = engine_->ListRevisions("a")->oldest + 3;
  const absl::StatusOr<ModelInfo> info = engine_->Rollback("a", target);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->published.revision, 46);
  const std::vector<double> then = answers_.at(target);
  EXPECT_EQ(Ask("a"), then);
  EXPECT_EQ(Ask("a", 45), answers_.at(45)) << "the way there is kept";
  // The ledger stays: what was counted is not counted again.
  Delivery repeat = Request(MakeBatch(44));
  repeat.origin = {"p", 45};
  EXPECT_TRUE(Submit("a", std::move(repeat)).get()->repeated);
  Start();
  EXPECT_EQ(Revision("a"), 46);
  EXPECT_EQ(Ask("a"), then);
  LearnMany(45, 60);
  const std::string state = StateBytes("a");
  Start();
  EXPECT_EQ(StateBytes("a"), state);
  EXPECT_EQ(Revision("a"), 61);
}

TEST_F(HistoryTest, RollbacksThatCannotBe) {
  StartWith(5);
  EXPECT_EQ(engine_->Rollback("a", 6).status().code(), Code::kOutOfRange);
  EXPECT_EQ(engine_->Rollback("a", -1).status().code(), Code::kOutOfRange);
  EXPECT_EQ(engine_->Rollback("nobody", 1).status().code(), Code::kNotFound);
  const int writes = disk_->writes();
  disk_->FailWrites(MemoryDisk::Failure::kWrite);
  EXPECT_FALSE(engine_->Rollback("a", 2).ok());
  EXPECT_EQ(disk_->writes(), writes);
  EXPECT_EQ(Revision("a"), 5);
}

TEST_F(HistoryTest, AForkGoesItsOwnWay) {
  StartWith(30);
  ASSERT_TRUE(engine_->Fork("a", 25, "b", nullptr).ok());
  EXPECT_EQ(Revision("b"), 25);
  EXPECT_EQ(Ask("b"), answers_.at(25));
  for (int i = 25; i < 30; ++i) {
    Delivery request = Request(MakeBatch(i));
    request.origin = {"p", i + 1};  // its producers go on as well
    ASSERT_TRUE(Submit("b", std::move(request)).get().ok());
  }
  EXPECT_EQ(Ask("b"), answers_.at(30));
  EXPECT_EQ(StateBytes("b"), StateBytes("a"));
  const std::string state = StateBytes("b");
  Start();
  EXPECT_EQ(StateBytes("b"), state);
  EXPECT_EQ(engine_->ListRevisions("b")->oldest, 25);
  EXPECT_EQ(engine_->Fork("a", 25, "b", nullptr).status().code(), Code::kAlreadyExists);
  EXPECT_EQ(engine_->Fork("a", 99, "c", nullptr).status().code(), Code::kOutOfRange);
  EXPECT_EQ(engine_->Fork("a", 25, "A", nullptr).status().code(), Code::kInvalidArgument);
}

// At revision 0 there may be something to remember: a refusal uses up its number.
TEST_F(HistoryTest, ForksAndFilesOfRevisionZeroSurviveARestart) {
  Start();
  ASSERT_TRUE(Create("a").ok());
  const auto expected = [&](const std::string& name) {  // of a producer whose number 1 was refused
    Delivery request = Request(MakeBatch(1));
    request.origin = {"p", 3};
    return ExpectedSequence(Submit(name, std::move(request)).get().status());
  };
  Delivery odd = Request(MakeBatch(1, 3));  // one input too many
  odd.origin = {"p", 1};
  ASSERT_EQ(Submit("a", std::move(odd)).get().status().code(), Code::kInvalidArgument);
  TakeSnapshot();
  ASSERT_TRUE(engine_->Fork("a", 0, "b", nullptr).ok());
  ASSERT_TRUE(engine_->Import("c", engine_->Export("a", 0).value()).ok());
  ASSERT_TRUE(engine_->Fork("c", 0, "d", nullptr).ok());
  for (int restarted = 0; restarted < 2; ++restarted) {
    for (const char* name : {"a", "b", "c", "d"}) {
      EXPECT_EQ(expected(name), 2) << name;
      EXPECT_EQ(Revision(name), 0);
    }
    Start();
  }
}

// What was refused or failed behind the newest revision has used up its number there, too.
TEST_F(HistoryTest, TheNewestRevisionIsTheWholeLog) {
  options_.snapshots.full_history = true;
  StartWith(5);
  Delivery odd = Request(MakeBatch(1, 3));
  odd.origin = {"p", 6};
  ASSERT_FALSE(Submit("a", std::move(odd)).get().ok());
  Delivery divergent = Request(MakeDivergentBatch());
  divergent.origin = {"p", 7};
  ASSERT_FALSE(Submit("a", std::move(divergent)).get().ok());
  const LearnerConfig same = LinearConfig(2);
  ASSERT_TRUE(engine_->Fork("a", std::nullopt, "b", nullptr).ok());
  ASSERT_TRUE(engine_->Fork("a", 5, "c", nullptr).ok());
  ASSERT_TRUE(engine_->Fork("a", std::nullopt, "d", &same).ok());
  ASSERT_TRUE(engine_->Import("e", engine_->Export("a", std::nullopt).value()).ok());
  for (const char* name : {"b", "c", "d", "e"}) {
    EXPECT_EQ(Revision(name), 5) << name;
    Delivery next = Request(MakeBatch(7));
    next.origin = {"p", 8};
    const Outcome answer = Submit(name, std::move(next)).get();
    EXPECT_TRUE(answer.ok()) << name << ": " << answer.status();
  }
}

// Same data, other configuration: as if it had been there from the start.
TEST_F(HistoryTest, AForkWithAnotherConfigurationLearnsAllTheData) {
  options_.snapshots.full_history = true;
  StartWith(30);
  LearnerConfig other = LinearConfig(2);
  other.seed = 99;
  other.rule.options["scheme"] = std::string("explicit");
  ASSERT_TRUE(engine_->Fork("a", 20, "b", &other).ok());
  EXPECT_EQ(Revision("b"), 20);
  ASSERT_TRUE(engine_->CreateModel("c", other).ok());
  for (int i = 0; i < 20; ++i) {
    Delivery request = Request(MakeBatch(i));
    request.origin = {"p", i + 1};
    ASSERT_TRUE(Submit("c", std::move(request)).get().ok());
  }
  EXPECT_EQ(StateBytes("b"), StateBytes("c"));
  options_.snapshots.full_history = false;
  StartWith(45);
  EXPECT_EQ(engine_->Fork("a", std::nullopt, "b", &other).status().code(),
            Code::kFailedPrecondition);
}

// A rollback returns to what the other configuration had made of the same minibatches.
TEST_F(HistoryTest, AForkWithAnotherConfigurationFollowsRollbacks) {
  options_.snapshots.full_history = true;
  StartWith(12);
  Delivery divergent = Request(MakeDivergentBatch());
  divergent.origin = {"p", 13};
  ASSERT_FALSE(Submit("a", std::move(divergent)).get().ok());
  LearnMany(13, 15);  // revisions 13 and 14
  ASSERT_EQ(engine_->Rollback("a", 13)->published.revision, 15);
  LearnMany(15, 18);  // 16 to 18
  ASSERT_EQ(engine_->Rollback("a", 8)->published.revision, 19);
  LearnMany(18, 20);  // 20 and 21
  ASSERT_EQ(engine_->Rollback("a", 16)->published.revision, 22) << "behind a rollback itself";
  ASSERT_EQ(engine_->Rollback("a", 22)->published.revision, 23) << "of one, too";
  Delivery odd = Request(MakeBatch(1, 3));
  odd.origin = {"p", 21};
  ASSERT_FALSE(Submit("a", std::move(odd)).get().ok());
  LearnMany(21, 23);
  LearnerConfig other = LinearConfig(2);
  other.likelihood.options["noise"] = 1.0;  // nothing is too extreme
  other.rule.options["scheme"] = std::string("explicit");
  ASSERT_TRUE(engine_->Fork("a", std::nullopt, "b", &other).ok());
  EXPECT_EQ(Revision("b"), Revision("a") + 1) << "with the one that was too extreme before";

  const Learner learner = Learner::Create(other).value();
  LearnerState survivors = learner.Initial(), next = survivors;
  Scratch scratch;
  for (int i : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -1, 13, 15, 21, 22}) {
    const Batch batch = i < 0 ? MakeDivergentBatch() : MakeBatch(i);
    ASSERT_TRUE(learner.Update(survivors, batch, scratch, next).ok()) << i;
    std::swap(survivors, next);
  }
  survivors.revision = Revision("b");
  EXPECT_EQ(StateBytes("b"), learner.EncodeState(survivors));

  for (const std::int64_t sequence : {13, 15, 20, 23}) {  // all were counted, whatever became of it
    Delivery repeat = Request(MakeBatch(0));
    repeat.origin = {"p", sequence};
    const Outcome answer = Submit("b", std::move(repeat)).get();
    ASSERT_TRUE(answer.ok()) << sequence << ": " << answer.status();
    EXPECT_TRUE(answer->repeated);
  }
  Delivery refused = Request(MakeBatch(0));
  refused.origin = {"p", 21};
  EXPECT_EQ(Submit("b", std::move(refused)).get().status().code(), Code::kInvalidArgument);
  ASSERT_TRUE(engine_->Fork("a", 17, "c", &other).ok());
  EXPECT_EQ(Revision("c"), 18) << "before the second one";
}

TEST_F(HistoryTest, AFileIsTheModelOnAnotherServer) {
  StartWith(30);
  const ModelFile file = engine_->Export("a", 28).value();
  EXPECT_EQ(file.revision, 28);
  const std::vector<double> expected = answers_.at(28);
  disk_ = std::make_shared<MemoryDisk>();
  Start();
  const absl::StatusOr<ModelInfo> info = engine_->Import("imported", file);
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->published.revision, 28);
  Start();
  EXPECT_EQ(Ask("imported"), expected);
  EXPECT_EQ(engine_->Import("imported", file).status().code(), Code::kAlreadyExists);
  ModelFile lie = file;
  lie.revision = 27;
  EXPECT_EQ(engine_->Import("b", lie).status().code(), Code::kDataLoss);
  lie = file;
  lie.body[lie.body.size() / 2] ^= 1;
  EXPECT_EQ(engine_->Import("b", lie).status().code(), Code::kDataLoss);
  lie = file;
  lie.config = codec_.EncodeConfig(Learner::Create(LinearConfig(3))->config());
  EXPECT_EQ(engine_->Import("b", lie).status().code(), Code::kFailedPrecondition);
  EXPECT_EQ(engine_->ListModels("", 10).size(), 1u);
}

// An imported model whose first snapshot is lost is not its log alone.
TEST_F(HistoryTest, AnImportedModelIsNeverTakenForAnEmptyOne) {
  StartWith(5);
  const ModelFile file = engine_->Export("a", std::nullopt).value();
  ASSERT_TRUE(engine_->Import("b", file).ok());
  ASSERT_TRUE(Learn("b", MakeBatch(5)).ok());
  const ModelId id = Stored("b").id;
  Stop();
  disk_->CorruptSnapshotChunk(id, 0, 0);
  Start();
  EXPECT_EQ(engine_->GetModel("b")->problem.code(), Code::kDataLoss);
  EXPECT_TRUE(engine_->GetModel("a")->problem.ok());
}

TEST_F(HistoryTest, AFailedImportLeavesNothing) {
  StartWith(5);
  const ModelFile file = engine_->Export("a", std::nullopt).value();
  disk_->FailWrites(MemoryDisk::Failure::kFull);
  EXPECT_FALSE(engine_->Import("b", file).ok());
  disk_->Crash();
  Start();
  EXPECT_EQ(engine_->ListModels("", 10).size(), 1u);
  ASSERT_TRUE(engine_->Import("b", file).ok());
  EXPECT_EQ(Ask("b"), answers_.at(5));
}

// Whoever asked may be gone before the fold is.
TEST_F(HistoryTest, AFoldEndsWhenItsAnswerIsNotWanted) {
  options_.snapshots.full_history = true;
  StartWith(40);
  const std::string before = StateBytes("a");
  int asked = 0;
  const StillWanted not_for_long = [&asked] {
    return ++asked <= 5 ? absl::OkStatus() : absl::DeadlineExceededError("waited enough");
  };
  const LearnerConfig config = LinearConfig(2);
  const auto expect_given_up = [&](const absl::Status& status) {
    EXPECT_EQ(status.code(), Code::kDeadlineExceeded) << status;
    EXPECT_EQ(std::exchange(asked, 0), 6) << "before the sixth record";
  };
  expect_given_up(engine_->Fork("a", 40, "b", &config, not_for_long).status());
  expect_given_up(engine_->Fork("a", 39, "b", nullptr, not_for_long).status());
  expect_given_up(engine_->Rollback("a", 39, not_for_long).status());
  expect_given_up(engine_->Export("a", 39, not_for_long).status());
  expect_given_up(Predict("a", MakeBatch(0), 39, not_for_long).status());
  EXPECT_EQ(engine_->ListModels("", 10).size(), 1u);
  EXPECT_EQ(StateBytes("a"), before);
  EXPECT_EQ(Revision("a"), 40);
}

}  // namespace
}  // namespace prequel::history_test
