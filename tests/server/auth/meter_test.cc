#include "server/auth/meter.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace prequel {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// The quota that refused; empty: none did.
std::string QuotaOf(const absl::Status& status) {
  const std::optional<QuotaRefusal> refusal = QuotaRefusalOf(status);
  EXPECT_EQ(refusal.has_value(), absl::IsResourceExhausted(status)) << status;
  if (refusal) {
    EXPECT_GT(refusal->retry_after.count(), 0);
  }
  return refusal ? refusal->quota : "";
}

TEST(Meter, BoundsCalls) {
  Meter meter;
  Quotas quotas;
  quotas.calls_in_flight = 2;
  EXPECT_EQ(QuotaOf(meter.BeginCall(quotas)), "");
  EXPECT_EQ(QuotaOf(meter.BeginCall(quotas)), "");
  EXPECT_EQ(QuotaOf(meter.BeginCall(quotas)), "calls_in_flight");
  meter.EndCall();
  EXPECT_EQ(QuotaOf(meter.BeginCall(quotas)), "");
  EXPECT_EQ(QuotaOf(meter.BeginCall({})), "");
}

TEST(Meter, BoundsBytesButNeverALoneRequest) {
  Meter meter;
  Quotas quotas;
  quotas.bytes_in_flight = 100;
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 1000, 0)), "");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 1, 0)), "bytes_in_flight");
  meter.GiveBack(1000);
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 60, 0)), "");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 41, 0)), "bytes_in_flight");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 40, 0)), "");
}

TEST(Meter, BoundsRowsOnAverage) {
  Meter meter;
  Quotas quotas;
  quotas.rows_per_second = 100;
  const Meter::Clock::time_point start;
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 300, start)), "");
  // 200 rows are owed.
  const absl::Status refused = meter.Take(quotas, 0, 1, start);
  EXPECT_EQ(QuotaOf(refused), "rows_per_second");
  EXPECT_EQ(QuotaRefusalOf(refused)->retry_after, milliseconds(2010));
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 1, start + seconds(2))), "rows_per_second");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 1, start + milliseconds(2010))), "");
  // However long nothing came, a second's worth is all that may come at once.
  const auto later = start + std::chrono::hours(1);
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 99, later)), "");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 1, later)), "");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 0, 1, later)), "rows_per_second");
}

TEST(Meter, TakesBytesAndRowsTogetherOrNotAtAll) {
  Meter meter;
  Quotas quotas;
  quotas.bytes_in_flight = 100;
  quotas.rows_per_second = 10;
  const Meter::Clock::time_point start;
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 90, 10, start)), "");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 10, 10, start)), "rows_per_second");
  EXPECT_EQ(QuotaOf(meter.Take(quotas, 10, 0, start)), "");
}

TEST(Meter, BoundsModelsThatAreBeingMadeAsWell) {
  Meter meter;
  Quotas quotas;
  quotas.models = 3;
  EXPECT_EQ(QuotaOf(meter.BeginModel(quotas, 1)), "");
  EXPECT_EQ(QuotaOf(meter.BeginModel(quotas, 1)), "");
  EXPECT_EQ(QuotaOf(meter.BeginModel(quotas, 1)), "max_models");
  meter.EndModel();
  EXPECT_EQ(QuotaOf(meter.BeginModel(quotas, 2)), "max_models");
  EXPECT_EQ(QuotaOf(meter.BeginModel(quotas, 1)), "");
}

TEST(Meter, OtherErrorsAreOfNoQuota) {
  EXPECT_FALSE(QuotaRefusalOf(absl::ResourceExhaustedError("full")).has_value());
  EXPECT_FALSE(QuotaRefusalOf(absl::OkStatus()).has_value());
}

}  // namespace
}  // namespace prequel
