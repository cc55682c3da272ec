// What a model remembers of its producers, in memory and as bytes.
#include "server/engine/ledger.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "core/archive/archive.h"
#include "core/config/error.h"
#include "server/engine/ledger_codec.h"
#include "server/engine/recency_table.h"
#include "server/engine/sequencer.h"
#include "server/engine/status_codec.h"

namespace prequel {
namespace {

PastAnswer Learned(std::int64_t revision) {
  PastAnswer answer;
  answer.revision = revision;
  answer.learned.scores.examples = 8;
  answer.learned.scores.Add("nll", 0.5);
  answer.learned.scores.Add("rmse", 0.25);
  answer.learned.report.rows = 8;
  answer.learned.report.passes = 3;
  answer.learned.report.kl = 0.125;
  return answer;
}

PastAnswer Refused() { return {.status = FieldError("batch.inputs", "is odd"), .revision = 1}; }

Ledger Example() {
  Ledger ledger;
  ledger.Record({"p", 1}, Learned(1));
  ledger.Record({"p", 2}, Refused());
  ledger.Record({"q", 1}, Learned(2));
  ledger.Record({"id", 0}, Learned(3));
  return ledger;
}

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
  const RecencyTable<int> moved = std::move(table);
  EXPECT_EQ(*moved.Find("c"), 3);
}

TEST(StatusCodecTest, KeepsCodeMessageAndField) {
  for (const absl::Status& status :
       {FieldError("batch.inputs[3,1]", "is NaN"), absl::InternalError("diverged"),
        absl::InvalidArgumentError(""), FieldError(absl::StatusCode::kOutOfRange, "f", "")}) {
    absl::Status decoded;
    ASSERT_TRUE(DecodeStatus(EncodeStatus(status), &decoded).ok());
    EXPECT_EQ(decoded, status);
    EXPECT_EQ(FieldOf(decoded), FieldOf(status));
  }
  absl::Status ignored;
  for (const std::string& bytes :
       {std::string(), std::string("\x3"), std::string("\x3\x9\0x", 4), std::string("\x63\0\0", 3),
        std::string("\0\0\0ok", 5), std::string("\xFF\0\0", 3), std::string("\x3\1\0fg: x", 8)}) {
    EXPECT_EQ(DecodeStatus(bytes, &ignored).code(), absl::StatusCode::kDataLoss);
  }
}

TEST(LedgerTest, AnswersWhatItRemembers) {
  const Ledger ledger = Example();
  EXPECT_EQ(ledger.AnswerTo({"p", 1})->revision, 1);
  EXPECT_EQ(ledger.AnswerTo({"p", 2}).status(), Refused().status);
  EXPECT_EQ(ExpectedSequence(ledger.AnswerTo({"p", 3}).status()), 3);
  EXPECT_EQ(ExpectedSequence(ledger.AnswerTo({"new", 1}).status()), 1);
  EXPECT_EQ(ledger.AnswerTo({"id", 0})->revision, 3);
  EXPECT_EQ(ledger.AnswerTo({"p", 0}).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(LedgerTest, SurvivesItsBytes) {
  const Ledger ledger = Example();
  const std::string bytes = EncodeLedger(ledger);
  const absl::StatusOr<Ledger> decoded = DecodeLedger(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(EncodeLedger(*decoded), bytes);
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.scores["rmse"], 0.25);
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.report.kl, 0.125);
  EXPECT_EQ(decoded->AnswerTo({"p", 2}).status(), Refused().status);
  EXPECT_EQ(decoded->producers().front().first, "p") << "the order is kept";
}

TEST(LedgerTest, EveryFlippedBitAndEveryTruncationIsRefused) {
  const std::string bytes = EncodeLedger(Example());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(DecodeLedger(damaged).ok()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeLedger(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

// Bytes that are sealed but that no ledger has.
TEST(LedgerTest, WhatNoLedgerHoldsIsRefused) {
  Ledger twice;  // "ab" and "ac": one byte makes them the same
  twice.Record({"ab", 0}, Learned(1));
  twice.Record({"ac", 0}, Learned(2));
  const auto reseal = [](std::string body) { return Seal(std::move(body), "PREQUELL", 1); };
  std::string body = EncodeLedger(twice).substr(kSealBytes);
  ASSERT_TRUE(DecodeLedger(reseal(body)).ok());
  body[body.find("ac") + 1] = 'b';
  EXPECT_EQ(DecodeLedger(reseal(body)).status().code(), absl::StatusCode::kDataLoss);

  Ledger ledger;
  ledger.Record({"p", 1}, Learned(1));
  const std::string sound = EncodeLedger(ledger).substr(kSealBytes);
  const std::size_t next = 8 + 8 + 1;  // behind the count and the id
  const auto with_next = [&](std::int64_t value) {
    std::string changed = sound;
    std::memcpy(changed.data() + next, &value, sizeof(value));
    return DecodeLedger(reseal(changed)).status();
  };
  EXPECT_TRUE(with_next(2).ok());
  EXPECT_EQ(with_next(1).code(), absl::StatusCode::kDataLoss) << "an answer to number 0";
  EXPECT_EQ(with_next(std::numeric_limits<std::int64_t>::max()).code(),
            absl::StatusCode::kDataLoss);
}

// Beyond the bound the answers go one by one, from the producer that was logged longest ago, and in
// the same order behind a restart.
TEST(LedgerTest, ForgetsAnswersBeforeProducers) {
  Ledger ledger;
  const auto record = [&](const std::string& producer, std::int64_t count) {
    for (std::int64_t i = 1; i <= count; ++i) ledger.Record({producer, i}, Learned(i));
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
    each->Record({"new", 9}, Learned(9));  // begins anew, and gives two back
    each->Record({"newer", 1}, Learned(9));
    EXPECT_EQ(each->AnswersTo("p0").size(), kAnswersPerProducer - 3);
  }
  EXPECT_EQ(EncodeLedger(ledger), EncodeLedger(restored));
}

// A producer that is forgotten takes its answers with it.
TEST(LedgerTest, ForgottenProducersHaveNoAnswers) {
  Ledger ledger;
  for (std::size_t i = 0; i <= kMaxProducers; ++i) {
    ledger.Record({"p" + std::to_string(i), 1}, Learned(1));
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
    for (std::int64_t k = 1; k <= 5; ++k) each.Record({producer, k}, Learned(k));
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

// The format of server/README.md, byte by byte: changing it is a new version.
TEST(LedgerTest, HasTheWrittenFormat) {
  Ledger ledger;
  ledger.Record({"p", 6}, Refused());
  ledger.Record({"id", 0}, Learned(3));
  const auto number = [](auto value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
  };
  const auto text = [&](const std::string& bytes) {
    return number(std::uint64_t{bytes.size()}) + bytes;
  };
  const std::string none(1, '\0');
  const std::string error = std::string("\3\14\0", 3) + "batch.inputs" + "batch.inputs: is odd";
  const std::string scores = number(8.0) + number(0.5) + "\1" + number(0.25) + none + none + none +
                             none + none + none + none + none;
  const std::string report = number(std::int64_t{8}) + number(std::int64_t{0}) +
                             number(std::int32_t{3}) + "\1" + number(0.0) + number(0.0) +
                             number(0.125);
  const std::string body = number(std::uint64_t{1}) + text("p") + number(std::int64_t{7}) +
                           number(std::uint64_t{1}) + text(error) + number(std::int64_t{1}) +
                           number(std::uint64_t{1}) + text("id") + text("") +
                           number(std::int64_t{3}) + scores + report;
  const std::string bytes = EncodeLedger(ledger);
  EXPECT_EQ(bytes.substr(0, 12), "PREQUELL" + number(std::uint32_t{1}));
  EXPECT_EQ(bytes.substr(24), body);
}

TEST(SequencerTest, GoesOnWhereTheLedgerIsAndGivesBackWhatWasNotLogged) {
  using Verdict = Sequencer::Verdict;
  Sequencer sequencer{Example()};
  EXPECT_EQ(sequencer.Next("p"), 3);
  EXPECT_EQ(sequencer.Take({"p", 2}), Verdict::kRepeat);
  EXPECT_EQ(sequencer.Take({"p", 4}), Verdict::kGap);
  EXPECT_EQ(sequencer.Take({"p", 3}), Verdict::kNew);
  EXPECT_EQ(sequencer.Take({"p", 3}), Verdict::kRepeat);
  EXPECT_EQ(sequencer.Take({"p", 4}), Verdict::kNew);
  EXPECT_EQ(sequencer.Take({"id", 0}), Verdict::kRepeat);
  EXPECT_EQ(sequencer.Take({"id2", 0}), Verdict::kNew);
  EXPECT_EQ(sequencer.Take({"id2", 0}), Verdict::kRepeat);
  sequencer.Settle(false);
  EXPECT_EQ(sequencer.Next("p"), 3);
  EXPECT_EQ(sequencer.Take({"id2", 0}), Verdict::kNew);
  EXPECT_EQ(sequencer.Take({"p", 3}), Verdict::kNew);
  sequencer.Settle(true);
  EXPECT_EQ(sequencer.Next("p"), 4);
  EXPECT_EQ(sequencer.Take({"id2", 0}), Verdict::kRepeat);
  EXPECT_EQ(sequencer.Take({}), Verdict::kNew);
  EXPECT_EQ(sequencer.Take({}), Verdict::kNew);
}

}  // namespace
}  // namespace prequel
