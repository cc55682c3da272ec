// What a model remembers of its producers.
#include "server/engine/fold/ledger.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "server/engine/fold/ledger_codec.h"
#include "server/engine/fold/recency_table.h"
#include "tests/server/engine/fold/example_ledger.h"

namespace prequel::ledger_test {
namespace {

TEST(RecencyTableTest, ForgetsWhatWasTouchedLongestAgo) {
  RecencyTable<int> table(2);
  table.Touch("a") = 1;
  table.Touch("b") = 2;
  table.Touch("a");
  EXPECT_NE(table.Find("b"), nullptr);
  table.Touch("c") = 3;
  EXPECT_EQ(table.Find("b"), nullptr);
  EXPECT_EQ(*table.Find("a"), 1);
  EXPECT_EQ(table.entries().front().first, "a");
  RecencyTable<int> copy = table;
  copy.Touch("c") = 4;
  copy.Touch("d") = 5;
  EXPECT_EQ(copy.Find("a"), nullptr);
  EXPECT_EQ(*table.Find("a"), 1);
  EXPECT_EQ(*table.Find("c"), 3);
  const RecencyTable<int> moved = std::move(table);
  EXPECT_EQ(*moved.Find("c"), 3);
}

TEST(LedgerTest, AnswersWhatItRemembers) {
  const Ledger ledger = ExampleLedger();
  EXPECT_EQ(ledger.AnswerTo({"p", 1})->revision, 1);
  EXPECT_EQ(ledger.AnswerTo({"p", 2}).status(), RefusedAnswer().status);
  EXPECT_EQ(ExpectedSequence(ledger.AnswerTo({"p", 3}).status()), 3);
  EXPECT_EQ(ExpectedSequence(ledger.AnswerTo({"new", 1}).status()), 1);
  EXPECT_EQ(ledger.AnswerTo({"id", 0})->revision, 3);
  EXPECT_EQ(ledger.AnswerTo({"p", 0}).status().code(), absl::StatusCode::kOutOfRange);
}

// Beyond the bound the answers go one by one, from the producer that was logged longest ago, and in
// the same order behind a restart.
TEST(LedgerTest, ForgetsAnswersBeforeProducers) {
  Ledger ledger;
  const auto record = [&](const std::string& producer, std::int64_t count) {
    for (std::int64_t i = 1; i <= count; ++i) ledger.Record({producer, i}, LearnedAnswer(i));
  };
  const std::size_t full = kMaxAnswers / kAnswersPerProducer;
  record("once", 1);
  for (std::size_t i = 0; i < full; ++i) record("p" + std::to_string(i), kAnswersPerProducer);
  EXPECT_TRUE(ledger.AnswersTo("once").empty());
  EXPECT_EQ(ledger.producers().front().second.next, 2);
  EXPECT_EQ(ledger.AnswersTo("p0").size(), kAnswersPerProducer);
  record("new", 3);
  Ledger restored = *DecodeLedger(EncodeLedger(ledger));
  for (Ledger* each : {&ledger, &restored}) {
    EXPECT_EQ(each->AnswersTo("p0").size(), kAnswersPerProducer - 3);
    EXPECT_FALSE(each->AnswerTo({"p0", 3}).ok());
    EXPECT_EQ(each->AnswerTo({"p0", 4})->revision, 4);
    each->Record({"new", 9}, LearnedAnswer(9));  // begins anew, and gives two back
    each->Record({"newer", 1}, LearnedAnswer(9));
    EXPECT_EQ(each->AnswersTo("p0").size(), kAnswersPerProducer - 3);
  }
  EXPECT_EQ(EncodeLedger(ledger), EncodeLedger(restored));
}

// A producer that is forgotten takes its answers with it.
TEST(LedgerTest, ForgottenProducersHaveNoAnswers) {
  Ledger ledger;
  for (std::size_t i = 0; i <= kMaxProducers; ++i) {
    ledger.Record({"p" + std::to_string(i), 1}, LearnedAnswer(1));
  }
  EXPECT_EQ(ledger.producers().size(), kMaxProducers);
  EXPECT_TRUE(ledger.AnswersTo("p0").empty());
  EXPECT_EQ(ledger.AnswersTo("p1").size(), 1u);
}

// Producers come and go without end: those that are remembered keep all their answers, and a
// ledger that was restored goes on as one that was not.
TEST(LedgerTest, ProducersThatComeAndGoTakeNothingFromThoseThatStay) {
  Ledger ledger;
  const auto pass = [](Ledger& each, std::size_t i) {
    const std::string producer = "p" + std::to_string(i);
    for (std::int64_t k = 1; k <= 5; ++k) each.Record({producer, k}, LearnedAnswer(k));
  };
  for (std::size_t i = 0; i < 5 * kMaxProducers; ++i) pass(ledger, i);
  Ledger restored = *DecodeLedger(EncodeLedger(ledger));
  for (Ledger* each : {&ledger, &restored}) {
    for (std::size_t i = 0; i < kMaxProducers / 2; ++i) pass(*each, i);
    EXPECT_EQ(each->producers().size(), kMaxProducers);
    for (const auto& [id, producer] : each->producers()) {
      ASSERT_EQ(each->AnswersTo(id).size(), 5u) << id;
    }
  }
  EXPECT_EQ(EncodeLedger(ledger), EncodeLedger(restored));
}

}  // namespace
}  // namespace prequel::ledger_test
