// The ledger as bytes.
#include "server/engine/fold/ledger_codec.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include "core/archive/archive.h"
#include "tests/server/engine/fold/example_ledger.h"

namespace prequel::ledger_codec_test {
namespace {

std::string Sealed(std::string body, std::uint32_t version = 1) {
  return Seal(std::move(body), "PREQUELL", version);
}

template <class T>
std::string Number(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string Text(const std::string& bytes) { return Number(std::uint64_t{bytes.size()}) + bytes; }

TEST(LedgerCodecTest, SurvivesItsBytes) {
  const Ledger ledger = ExampleLedger();
  const std::string bytes = EncodeLedger(ledger);
  const absl::StatusOr<Ledger> decoded = DecodeLedger(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(EncodeLedger(*decoded), bytes);
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.scores["rmse"], 0.25);
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.report.kl, 0.125);
  EXPECT_EQ(decoded->AnswerTo({"p", 2}).status(), RefusedAnswer().status);
  EXPECT_EQ(decoded->producers().front().first, "p") << "the order is kept";
}

TEST(LedgerCodecTest, EveryFlippedBitAndEveryTruncationIsRefused) {
  const std::string bytes = EncodeLedger(ExampleLedger());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string damaged = bytes;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(DecodeLedger(damaged).ok()) << bit;
  }
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(DecodeLedger(std::string_view(bytes).substr(0, size)).ok()) << size;
  }
}

// Damage is told from a version that is not read.
TEST(LedgerCodecTest, DamageIsNotAnotherVersion) {
  for (std::string bytes : {EncodeLedger(ExampleLedger()), Sealed("")}) {
    bytes.back() = static_cast<char>(bytes.back() ^ 1);
    EXPECT_EQ(DecodeLedger(bytes).status().code(), absl::StatusCode::kDataLoss);
  }
  EXPECT_EQ(DecodeLedger(Sealed("body", 2)).status().code(), absl::StatusCode::kFailedPrecondition);
}

// Bytes that are sealed but that no ledger has.
TEST(LedgerCodecTest, WhatNoLedgerHoldsIsRefused) {
  Ledger twice;  // "ab" and "ac": one byte makes them the same
  twice.Record({"ab", 0}, LearnedAnswer(1));
  twice.Record({"ac", 0}, LearnedAnswer(2));
  std::string body = EncodeLedger(twice).substr(kSealBytes);
  ASSERT_TRUE(DecodeLedger(Sealed(body)).ok());
  body[body.find("ac") + 1] = 'b';
  EXPECT_EQ(DecodeLedger(Sealed(body)).status().code(), absl::StatusCode::kDataLoss);

  Ledger ledger;
  ledger.Record({"p", 1}, LearnedAnswer(1));
  const std::string sound = EncodeLedger(ledger).substr(kSealBytes);
  const std::size_t names = 8 + (8 + 3) + (8 + 4);  // their count, "nll", "rmse"
  const std::size_t next = names + 8 + 8 + 1;       // behind the count and the id
  const auto with_next = [&](std::int64_t value) {
    std::string changed = sound;
    std::memcpy(changed.data() + next, &value, sizeof(value));
    return DecodeLedger(Sealed(changed)).status();
  };
  EXPECT_TRUE(with_next(2).ok());
  EXPECT_EQ(with_next(1).code(), absl::StatusCode::kDataLoss) << "an answer to number 0";
  EXPECT_EQ(with_next(std::numeric_limits<std::int64_t>::max()).code(),
            absl::StatusCode::kDataLoss);
}

// One ledger has one form: names stand in the order in which its scores need them.
TEST(LedgerCodecTest, ScoresHaveTheirNamesInOneOrder) {
  const std::string report = Number(std::int64_t{8}) + Number(std::int64_t{0}) +
                             Number(std::int32_t{3}) + "\1" + Number(0.0) + Number(0.0) +
                             Number(0.125);
  const auto bytes = [&](const std::string& names, const std::string& scores) {
    return Sealed(names + Number(std::uint64_t{0}) + Number(std::uint64_t{1}) + Text("id") +
                  Text("") + Number(std::int64_t{3}) + Number(8.0) + scores + report +
                  Number(std::int64_t{0}));
  };
  const auto score = [](char name, double value) { return std::string(1, name) + Number(value); };
  const std::string both = Number(std::uint64_t{2}) + Text("nll") + Text("rmse");
  const std::string two = Number(std::uint64_t{2}), one = Number(std::uint64_t{1});
  const std::string sound = bytes(both, two + score(0, 0.5) + score(1, 0.25));
  ASSERT_TRUE(DecodeLedger(sound).ok()) << DecodeLedger(sound).status();
  EXPECT_EQ(EncodeLedger(*DecodeLedger(sound)), sound);
  const std::string unknown = Number(std::uint64_t{2}) + Text("nll") + Text("cheer");
  for (const std::string& odd :
       {bytes(both, two + score(1, 0.25) + score(0, 0.5)),
        bytes(both, two + score(0, 0.5) + score(0, 0.5)), bytes(both, one + score(0, 0.5)),
        bytes(both, two + score(0, 0.5) + score(2, 0.25)),
        bytes(unknown, two + score(0, 0.5) + score(1, 0.25))}) {
    EXPECT_EQ(DecodeLedger(odd).status().code(), absl::StatusCode::kDataLoss);
  }
}

Ledger RefusedAndLearned() {
  Ledger ledger;
  ledger.Record({"p", 6}, RefusedAnswer());
  ledger.Record({"id", 0}, LearnedAnswer(3));
  return ledger;
}

std::string StoredError() {
  return std::string("\3\14\0", 3) + "batch.inputs" + "batch.inputs: is odd";
}

// The format of server/formats.md, byte by byte: changing it is a new version.
TEST(LedgerCodecTest, HasTheWrittenFormat) {
  const std::string scores = Number(8.0) + Number(std::uint64_t{2}) + std::string(1, '\0') +
                             Number(0.5) + "\1" + Number(0.25);
  const std::string report = Number(std::int64_t{8}) + Number(std::int64_t{0}) +
                             Number(std::int32_t{3}) + "\1" + Number(0.0) + Number(0.0) +
                             Number(0.125);
  const std::string body =
      Number(std::uint64_t{2}) + Text("nll") + Text("rmse") + Number(std::uint64_t{1}) + Text("p") +
      Number(std::int64_t{7}) + Number(std::uint64_t{1}) + Text(StoredError()) +
      Number(std::int64_t{1}) + Number(std::uint64_t{1}) + Text("id") + Text("") +
      Number(std::int64_t{3}) + scores + report + Number(std::int64_t{0});
  const std::string bytes = EncodeLedger(RefusedAndLearned());
  EXPECT_EQ(bytes.substr(0, 12), "PREQUELL" + Number(std::uint32_t{1}));
  EXPECT_EQ(bytes.substr(24), body);
}

TEST(LedgerCodecTest, CountsRefusedRows) {
  Ledger ledger;
  PastAnswer answer = LearnedAnswer(3);
  answer.learned.refused.count = 5;
  ledger.Record({"p", 1}, answer);
  ledger.Record({"id", 0}, LearnedAnswer(4));
  const std::string bytes = EncodeLedger(ledger);
  EXPECT_EQ(bytes.substr(bytes.size() - 8), Number(std::int64_t{0})) << "of the last answer";
  const absl::StatusOr<Ledger> decoded = DecodeLedger(bytes);
  ASSERT_TRUE(decoded.ok()) << decoded.status();
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.refused.count, 5);
  EXPECT_EQ(decoded->AnswerTo({"p", 1})->learned.report.kl, 0.125);
  EXPECT_EQ(decoded->AnswerTo({"id", 0})->learned.refused.count, 0);
  EXPECT_EQ(EncodeLedger(*decoded), bytes);

  const auto with_last_count = [&](std::int64_t first, std::int64_t last) {
    std::string body = bytes.substr(kSealBytes);
    const std::size_t at = body.find(Number(std::int64_t{5}));
    std::memcpy(body.data() + at, &first, sizeof(first));
    std::memcpy(body.data() + body.size() - 8, &last, sizeof(last));
    return DecodeLedger(Sealed(body)).status();
  };
  EXPECT_TRUE(with_last_count(5, 0).ok());
  EXPECT_TRUE(with_last_count(0, 1).ok());
  EXPECT_EQ(with_last_count(5, -1).code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace prequel::ledger_codec_test
