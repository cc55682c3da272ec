// A minibatch that says where it comes from is learned once, whatever is repeated, lost or refused.
#include <string>
#include <vector>

#include "core/config/field_error.h"
#include "tests/server/engine/engine_fixture.h"

namespace prequel::exactly_once_test {
namespace {

using ::testing::HasSubstr;
using Code = absl::StatusCode;

class ExactlyOnceTest : public EngineFixture {
 protected:
  void SetUp() override {
    Start();
    ASSERT_TRUE(Create("a").ok());
  }

  std::future<Outcome> Send(const std::string& producer, std::int64_t sequence, Batch batch) {
    Delivery request = Request(std::move(batch));
    request.origin = {producer, sequence};
    return Submit("a", std::move(request));
  }

  Outcome Learn(const std::string& producer, std::int64_t sequence) {
    return Send(producer, sequence, MakeBatch(static_cast<int>(sequence))).get();
  }

  std::int64_t Next(const std::string& producer) { return EngineFixture::Next("a", producer); }

  static void ExpectRepeatOf(const Outcome& first, const Outcome& second) {
    ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
    EXPECT_FALSE(first->repeated);
    EXPECT_TRUE(second->repeated);
    EXPECT_EQ(second->revision, first->revision);
    EXPECT_EQ(second->learned.scores["nll"], first->learned.scores["nll"]);
    EXPECT_EQ(second->learned.report.rows, first->learned.report.rows);
  }
};

TEST_F(ExactlyOnceTest, ARepeatIsAnsweredAsTheFirstAndChangesNothing) {
  const Outcome one = Learn("p", 1), two = Learn("p", 2);
  const std::string state = StateBytes("a");
  const int writes = disk_->writes();
  ExpectRepeatOf(one, Learn("p", 1));
  ExpectRepeatOf(two, Learn("p", 2));
  EXPECT_EQ(StateBytes("a"), state);
  EXPECT_EQ(disk_->writes(), writes);
  EXPECT_EQ(Learn("p", 3)->revision, 3);
}

TEST_F(ExactlyOnceTest, ARepeatAfterARestartToo) {
  std::vector<Outcome> first;
  for (int i = 1; i <= 5; ++i) first.push_back(Learn("p", i));
  Start();
  EXPECT_EQ(Next("p"), 6);
  for (int i = 1; i <= 5; ++i)
    ExpectRepeatOf(first[static_cast<std::size_t>(i - 1)], Learn("p", i));
  EXPECT_EQ(Revision("a"), 5);
}

// Behind a restart, a snapshot and a replay: the same rows are refused.
TEST_F(ExactlyOnceTest, RefusedRowsAreRefusedAgainAndCounted) {
  LearnerConfig config = LinearConfig(2);
  config.likelihood = {"categorical", {}};
  config.target.num_classes = 3;
  ASSERT_TRUE(engine_->CreateModel("classes", config).ok());
  const auto send = [this](std::int64_t sequence, const std::vector<double>& targets) {
    Batch batch = MakeBatch(1, 2, static_cast<Index>(targets.size()));
    batch.targets = Eigen::Map<const Matrix>(targets.data(), 1, batch.rows());
    Delivery request = Request(std::move(batch));
    request.origin = {"p", sequence};
    return Submit("classes", std::move(request)).get();
  };
  const std::vector<double> some = {0, 5, 2, 1.5}, all = {3, -1};
  const Outcome first = send(1, some), second = send(2, all);
  ASSERT_TRUE(first.ok() && second.ok()) << first.status() << second.status();
  EXPECT_EQ(first->learned.refused.count, 2);
  EXPECT_EQ(first->learned.refused.first.size(), 2U);
  EXPECT_EQ(second->revision, 2) << "acknowledged, though nothing was learned";
  EXPECT_EQ(second->learned.report.rows, 0);
  const std::string state = StateBytes("classes");
  for (const bool restart : {false, true}) {
    if (restart) Start();
    EXPECT_EQ(StateBytes("classes"), state);
    const Outcome repeat = send(1, some), repeat_of_all = send(2, all);
    ExpectRepeatOf(first, repeat);
    EXPECT_EQ(repeat->learned.refused.count, 2);
    EXPECT_TRUE(repeat->learned.refused.first.empty()) << "names are not remembered";
    EXPECT_EQ(repeat_of_all->learned.refused.count, 2);
  }
}

TEST_F(ExactlyOnceTest, AGapNamesTheNumberThatIsDue) {
  ASSERT_TRUE(Learn("p", 1).ok());
  const absl::Status gap = Learn("p", 3).status();
  EXPECT_EQ(gap.code(), Code::kOutOfRange);
  EXPECT_EQ(ExpectedSequence(gap), 2);
  EXPECT_EQ(ExpectedSequence(Learn("new", 2).status()), 1);
  EXPECT_EQ(Revision("a"), 1);
  EXPECT_EQ(Learn("p", 2)->revision, 2);
}

TEST_F(ExactlyOnceTest, ProducersAndModelsAreIndependent) {
  ASSERT_TRUE(Create("b").ok());
  EXPECT_EQ(Learn("p", 1)->revision, 1);
  EXPECT_EQ(Learn("q", 1)->revision, 2);
  Delivery other = Request(MakeBatch(1));
  other.origin = {"p", 1};
  EXPECT_EQ(Submit("b", std::move(other)).get()->revision, 1);
  EXPECT_EQ(Next("p"), 2);
  EXPECT_EQ(Next("nobody"), 1);
  EXPECT_EQ(engine_->DeleteModel("a"), absl::OkStatus());
  ASSERT_TRUE(Create("a").ok());
  EXPECT_EQ(Next("p"), 1) << "a new model knows nobody";
}

// Repeats of what is queued and not logged, and of what is logged and not folded.
TEST_F(ExactlyOnceTest, ARepeatOfWhatIsUnderWay) {
  Gate gate(*disk_);
  gate.Close();
  std::vector<std::future<Outcome>> answers;
  answers.push_back(Send("p", 1, MakeBatch(1)));
  gate.AwaitArrival();  // number 1 is being written; all else waits and will be one group
  answers.push_back(Send("p", 1, MakeBatch(1)));
  answers.push_back(Send("p", 2, MakeBatch(2)));
  answers.push_back(Send("p", 2, MakeBatch(2)));
  answers.push_back(Send("p", 4, MakeBatch(4)));
  answers.push_back(Send("p", 1, MakeBatch(1)));
  gate.Open();
  std::vector<Outcome> outcomes;
  for (auto& answer : answers) outcomes.push_back(answer.get());
  ExpectRepeatOf(outcomes[0], outcomes[1]);
  ExpectRepeatOf(outcomes[2], outcomes[3]);
  EXPECT_EQ(ExpectedSequence(outcomes[4].status()), 3);
  ExpectRepeatOf(outcomes[0], outcomes[5]);
  EXPECT_EQ(Revision("a"), 2);
  EXPECT_EQ(Next("p"), 3);
  disk_->OnWrite(nullptr);
}

// A question is answered as of its place in the queue, whatever is logged together with it.
TEST_F(ExactlyOnceTest, WhatComesBehindAQuestionDoesNotCountYet) {
  Gate gate(*disk_);
  gate.Close();
  std::future<Outcome> first = Send("p", 1, MakeBatch(1));
  gate.AwaitArrival();
  std::future<Outcome> second = Send("p", 2, MakeBatch(2));
  auto question = AskNext("a", "p");
  std::future<Outcome> third = Send("p", 3, MakeBatch(3));
  gate.Open();
  EXPECT_EQ(question.get().value(), 3);
  for (auto* answer : {&first, &second, &third}) EXPECT_TRUE(answer->get().ok());
  disk_->OnWrite(nullptr);
}

TEST_F(ExactlyOnceTest, WhatWasNotLoggedMayBeSentAgain) {
  Delivery late = Request(MakeBatch(1));
  late.origin = {"p", 1};
  late.deadline = clock_.Now();
  EXPECT_EQ(Submit("a", std::move(late)).get().status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(Next("p"), 1);
  EXPECT_EQ(Learn("p", 1)->revision, 1);
  disk_->FailWrites(MemoryDisk::Failure::kWrite);
  EXPECT_EQ(Learn("p", 2).status().code(), Code::kUnknown);
  EXPECT_EQ(Learn("p", 2).status().code(), Code::kUnavailable) << "not taken for a repeat";
  EXPECT_EQ(Learn("p", 1)->revision, 1) << "answers that are known are given";
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  Start();
  EXPECT_EQ(Learn("p", 2)->revision, 2);
}

// The sync failed, the bytes were there after the restart: the client does not know, and asks.
TEST_F(ExactlyOnceTest, AnUnknownOutcomeIsSettledByTheRepeat) {
  disk_->FailWrites(MemoryDisk::Failure::kSync);
  EXPECT_EQ(Learn("p", 1).status().code(), Code::kUnknown);
  disk_->FailWrites(MemoryDisk::Failure::kNone);
  Start();
  EXPECT_EQ(Next("p"), 2);
  const Outcome repeat = Learn("p", 1);
  ASSERT_TRUE(repeat.ok()) << repeat.status();
  EXPECT_TRUE(repeat->repeated);
  EXPECT_EQ(Revision("a"), 1);
}

TEST_F(ExactlyOnceTest, AFailedUpdateIsRememberedAsSuch) {
  const absl::Status failed = Send("p", 1, MakeDivergentBatch()).get().status();
  EXPECT_EQ(failed.code(), Code::kInternal);
  EXPECT_EQ(Learn("p", 1).status(), failed);
  Start();
  EXPECT_EQ(Learn("p", 1).status(), failed);
  EXPECT_EQ(Learn("p", 2)->revision, 1);
}

TEST_F(ExactlyOnceTest, BadContentUsesUpItsNumber) {
  const absl::Status refused = Send("p", 1, MakeBatch(1, 3)).get().status();
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  const std::string state = StateBytes("a");
  for (int restart = 0; restart < 2; ++restart) {
    const absl::Status again = Learn("p", 1).status();
    EXPECT_EQ(again, refused);
    EXPECT_EQ(FieldOf(again), FieldOf(refused));
    EXPECT_EQ(Next("p"), 2);
    EXPECT_EQ(StateBytes("a"), state);
    Start();
  }
  EXPECT_EQ(Learn("p", 2)->revision, 1);
}

TEST_F(ExactlyOnceTest, ARefusalThatTheCallerFoundIsTheSame) {
  Delivery request;
  request.origin = {"p", 1};
  request.record = Refusal{FieldError("batch.inputs", "is no tensor")};
  const absl::Status refused = Submit("a", std::move(request)).get().status();
  EXPECT_EQ(FieldOf(refused), "batch.inputs");
  EXPECT_EQ(Learn("p", 1).status(), refused);
  EXPECT_EQ(Learn("p", 2)->revision, 1);
}

TEST_F(ExactlyOnceTest, ARequestIdIsKnownOnceItWasLearned) {
  Delivery bad = Request(MakeBatch(1, 3));
  bad.origin.id = "id";
  EXPECT_EQ(Submit("a", std::move(bad)).get().status().code(), Code::kInvalidArgument);
  const Outcome first = Send("id", 0, MakeBatch(1)).get();
  ExpectRepeatOf(first, Send("id", 0, MakeBatch(1)).get());
  Start();
  ExpectRepeatOf(first, Send("id", 0, MakeBatch(1)).get());
  EXPECT_EQ(Next("id"), 1) << "requests and producers have names of their own";
  EXPECT_EQ(Revision("a"), 1);
}

TEST_F(ExactlyOnceTest, OriginsThatCannotBe) {
  const absl::Status longer = Learn(std::string(129, 'p'), 1).status();
  EXPECT_EQ(FieldOf(longer), "producer");
  EXPECT_EQ(FieldOf(Send("p", -1, MakeBatch(1)).get().status()), "sequence");
  EXPECT_EQ(FieldOf(Send("", 1, MakeBatch(1)).get().status()), "producer");
  EXPECT_EQ(Learn(std::string(128, '\0'), 1)->revision, 1);
}

TEST_F(ExactlyOnceTest, AnAnswerFromFarBackIsForgottenButNotItsNumber) {
  for (int i = 1; i <= kAnswersPerProducer + 1; ++i) ASSERT_TRUE(Learn("p", i).ok());
  const absl::Status forgotten = Learn("p", 1).status();
  EXPECT_EQ(forgotten.code(), Code::kOutOfRange);
  EXPECT_THAT(std::string(forgotten.message()), HasSubstr("no longer remembered"));
  EXPECT_EQ(ExpectedSequence(forgotten), kAnswersPerProducer + 2);
  EXPECT_TRUE(Learn("p", 2)->repeated);
  EXPECT_EQ(Revision("a"), kAnswersPerProducer + 1);
}

// The producer whose last minibatch is furthest back goes; the same one after a restart.
TEST_F(ExactlyOnceTest, TheProducersAreBounded) {
  const auto name = [](std::size_t i) { return "p" + std::to_string(i); };
  for (std::size_t i = 0; i < kMaxProducers; ++i) ASSERT_TRUE(Learn(name(i), 1).ok());
  ASSERT_TRUE(Learn(name(0), 2).ok());
  ASSERT_TRUE(Learn(name(1), 1)->repeated) << "a repeat is not in the log and keeps nobody";
  ASSERT_TRUE(Learn("new", 1).ok());
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_EQ(Next(name(0)), 3);
    EXPECT_EQ(Next(name(1)), 1) << "forgotten";
    EXPECT_EQ(Next(name(2)), 2);
    EXPECT_EQ(Next("new"), 2);
    Start();
  }
}

// So are their answers, in a model's memory and in each of its snapshots. They go one by one, from
// the producer that was logged longest ago.
TEST_F(ExactlyOnceTest, TheAnswersToProducersAreBounded) {
  const auto name = [](std::size_t i) { return "p" + std::to_string(i); };
  constexpr std::size_t kFull = kMaxAnswers / static_cast<std::size_t>(kAnswersPerProducer);
  for (std::size_t i = 0; i < kFull; ++i) {
    for (int k = 1; k <= kAnswersPerProducer; ++k) ASSERT_TRUE(Learn(name(i), k).ok());
  }
  ASSERT_TRUE(Learn(name(0), kAnswersPerProducer + 1).ok());
  ASSERT_TRUE(Learn(name(1), 1)->repeated);
  ASSERT_TRUE(Learn("new", 1).ok());
  ASSERT_TRUE(Learn("newer", 1).ok());
  for (int restart = 0; restart < 2; ++restart) {
    EXPECT_TRUE(Learn(name(0), 2)->repeated);
    EXPECT_EQ(ExpectedSequence(Learn(name(1), 2).status()), kAnswersPerProducer + 1)
        << "forgotten, but not the number";
    EXPECT_TRUE(Learn(name(1), 3)->repeated);
    EXPECT_TRUE(Learn(name(2), 1)->repeated);
    EXPECT_TRUE(Learn("new", 1)->repeated);
    Start();
  }
}

}  // namespace
}  // namespace prequel::exactly_once_test
