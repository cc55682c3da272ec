// Rows by hour, through a snapshot and by the log's own times.
#include "server/engine/fold/rows_by_hour.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>

namespace prequel::rows_by_hour_test {
namespace {

constexpr std::int64_t kHour = 3'600'000'000;

TEST(RowsByHourTest, CountsWhatWasLearnedInEachHour) {
  RowsByHour part;
  Learned learned;
  learned.report.rows = 5;
  const auto note = [&part](std::int64_t time_us, const absl::StatusOr<Learned>& answer) {
    part.Note({.origin = {}, .time_us = time_us, .answer = answer});
  };
  note(0, learned);
  note(kHour - 1, learned);
  note(kHour, learned);
  note(kHour, absl::InternalError("refused"));
  const std::map<std::int64_t, std::int64_t> expected = {{0, 10}, {1, 5}};
  EXPECT_EQ(part.rows(), expected);
  const absl::StatusOr<RowsByHour> read = RowsByHour::Decode(part.Encode());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->rows(), expected);
  for (std::int64_t hour = 0; hour < 100; ++hour) note(hour * kHour, learned);
  EXPECT_EQ(part.rows().size(), RowsByHour::kHours);
  EXPECT_EQ(part.rows().begin()->first, 52);
}

}  // namespace
}  // namespace prequel::rows_by_hour_test
