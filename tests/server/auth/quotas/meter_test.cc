#include "server/auth/quotas/meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

#include "server/auth/quotas/quota_refusal.h"

namespace prequel::meter_test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The quota that refused; empty: none did.
std::string QuotaOf(const absl::Status& status) {
  const std::optional<QuotaRefusal> refusal = QuotaRefusalOf(status);
  EXPECT_EQ(refusal.has_value(), absl::IsResourceExhausted(status)) << status;
  if (refusal) {
    EXPECT_EQ(refusal->owner, "me");
    EXPECT_GT(refusal->retry_after.count(), 0);
  }
  return refusal ? refusal->quota : "";
}

class MeterTest : public ::testing::Test {
 protected:
  std::string Take(const Amounts& amounts) {
    return QuotaOf(meter_.Take(quotas_, amounts, {}, now_));
  }
  std::string TakeModel(std::int64_t existing) {
    return QuotaOf(meter_.TakeModel(quotas_, existing));
  }

  Meter meter_{"me"};
  Quotas quotas_;
  Meter::Clock::time_point now_;
};

TEST_F(MeterTest, BoundsCalls) {
  quotas_.calls_in_flight = 2;
  EXPECT_EQ(Take({.calls = 1}), "");
  EXPECT_EQ(Take({.calls = 1}), "");
  EXPECT_EQ(Take({.calls = 1}), "calls_in_flight");
  // What is no call does not mind.
  EXPECT_EQ(Take({.bytes = 1}), "");
  meter_.GiveBack({.calls = 1});
  EXPECT_EQ(Take({.calls = 1}), "");
}

TEST_F(MeterTest, WhatHasNoBytesIsNotRefusedForThem) {
  quotas_.bytes_in_flight = 100;
  EXPECT_EQ(Take({.bytes = 1000}), "") << "alone";
  EXPECT_EQ(Take({.bytes = 1}), "bytes_in_flight");
  EXPECT_EQ(Take({.calls = 1}), "");
}

TEST_F(MeterTest, CountsByTheQuotasOfNow) {
  EXPECT_EQ(Take({.calls = 1}), "");
  EXPECT_EQ(Take({.calls = 1}), "");
  quotas_.calls_in_flight = 2;
  EXPECT_EQ(Take({.calls = 1}), "calls_in_flight");
  quotas_.calls_in_flight = 3;
  EXPECT_EQ(Take({.calls = 1}), "");
  quotas_ = {};
  EXPECT_EQ(Take({.calls = 1}), "");
}

TEST_F(MeterTest, BoundsBytesButNeverALoneRequest) {
  quotas_.bytes_in_flight = 100;
  EXPECT_EQ(Take({.bytes = 1000}), "");
  EXPECT_EQ(Take({.bytes = 1}), "bytes_in_flight");
  meter_.GiveBack({.bytes = 1000});
  EXPECT_EQ(Take({.bytes = 60}), "");
  EXPECT_EQ(Take({.bytes = 41}), "bytes_in_flight");
  EXPECT_EQ(Take({.bytes = 40}), "");
}

TEST_F(MeterTest, BoundsRowsOnAverage) {
  quotas_.rows_per_second = 100;
  const Meter::Clock::time_point start = now_;
  EXPECT_EQ(Take({.rows = 300}), "");
  // 200 rows are owed.
  const absl::Status refused = meter_.Take(quotas_, {.rows = 1}, {}, start);
  EXPECT_EQ(QuotaOf(refused), "rows_per_second");
  EXPECT_EQ(QuotaRefusalOf(refused)->retry_after, milliseconds(2010));
  now_ = start + seconds(2);
  EXPECT_EQ(Take({.rows = 1}), "rows_per_second");
  now_ = start + milliseconds(2010);
  EXPECT_EQ(Take({.rows = 1}), "");
  // However long nothing came, a second's worth is all that may come at once.
  now_ = start + std::chrono::hours(1);
  EXPECT_EQ(Take({.rows = 99}), "");
  EXPECT_EQ(Take({.rows = 1}), "");
  EXPECT_EQ(Take({.rows = 1}), "rows_per_second");
}

TEST_F(MeterTest, TakesAllOrNothing) {
  quotas_.calls_in_flight = 2;
  quotas_.bytes_in_flight = 100;
  quotas_.rows_per_second = 10;
  EXPECT_EQ(Take({.calls = 1, .bytes = 90, .rows = 10}), "");
  EXPECT_EQ(Take({.calls = 1, .bytes = 10, .rows = 10}), "rows_per_second");
  EXPECT_EQ(Take({.calls = 1, .bytes = 11}), "bytes_in_flight");
  EXPECT_EQ(Take({.calls = 1, .bytes = 10}), "");
}

TEST_F(MeterTest, GivesBackRowsThatWereTakenForNothing) {
  quotas_.rows_per_second = 10;
  EXPECT_EQ(Take({.rows = 1000}), "");
  meter_.GiveBack({.rows = 1000});
  EXPECT_EQ(Take({.rows = 10}), "");
  EXPECT_EQ(Take({.rows = 1}), "rows_per_second");
}

TEST_F(MeterTest, BoundsModelsThatAreBeingMadeAsWell) {
  quotas_.models = 3;
  EXPECT_EQ(TakeModel(1), "");
  EXPECT_EQ(TakeModel(1), "");
  EXPECT_EQ(TakeModel(1), "max_models");
  meter_.GiveBack({.models = 1});
  EXPECT_EQ(TakeModel(2), "max_models");
  EXPECT_EQ(TakeModel(1), "");
}

TEST_F(MeterTest, IsAsNewOnceNothingIsInUseOrOwed) {
  quotas_.rows_per_second = 10;
  EXPECT_TRUE(meter_.IsAsNew(now_));
  EXPECT_EQ(Take({.calls = 1, .bytes = 1, .rows = 20}), "");
  meter_.GiveBack({.calls = 1});
  EXPECT_FALSE(meter_.IsAsNew(now_ + seconds(2)));
  meter_.GiveBack({.bytes = 1});
  EXPECT_FALSE(meter_.IsAsNew(now_ + milliseconds(1999)));
  EXPECT_TRUE(meter_.IsAsNew(now_ + seconds(2)));
  EXPECT_EQ(TakeModel(0), "");
  EXPECT_FALSE(meter_.IsAsNew(now_ + seconds(2)));
}

TEST_F(MeterTest, OtherErrorsAreOfNoQuota) {
  EXPECT_FALSE(QuotaRefusalOf(absl::ResourceExhaustedError("full")).has_value());
  EXPECT_FALSE(QuotaRefusalOf(absl::OkStatus()).has_value());
}

}  // namespace
}  // namespace prequel::meter_test
