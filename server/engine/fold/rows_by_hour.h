// How many rows a model learned in each hour: the part of a fold that counts by the log's clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/archive/archive.h"
#include "server/engine/fold/fold_part.h"

namespace prequel {

// The last kHours hours in which anything was learned, by when it was logged.
class RowsByHour {
 public:
  static constexpr std::string_view kName = "rows_by_hour";
  static constexpr std::size_t kHours = 48;

  void Note(const FoldedRecord& record) {
    if (!record.answer.ok()) return;
    rows_[record.time_us / kHourUs] += record.answer->report.rows;
    if (rows_.size() > kHours) rows_.erase(rows_.begin());
  }

  // By the hour since the Unix epoch.
  const std::map<std::int64_t, std::int64_t>& rows() const { return rows_; }

  std::string Encode() const {
    std::vector<std::int64_t> hours, rows;
    for (const auto& [hour, count] : rows_) {
      hours.push_back(hour);
      rows.push_back(count);
    }
    ArchiveWriter writer;
    writer.Value("hours", hours);
    writer.Value("rows", rows);
    return Seal(std::move(writer).Take(), kMagic, 1);
  }

  static absl::StatusOr<RowsByHour> Decode(std::string_view bytes) {
    const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, 1);
    if (!body.ok()) return body.status();
    ArchiveReader reader(*body);
    std::vector<std::int64_t> hours, rows;
    reader.Value("hours", hours);
    reader.Value("rows", rows);
    if (absl::Status status = reader.Finish(); !status.ok()) return status;
    RowsByHour part;
    if (hours.size() != rows.size() || hours.size() > kHours) {
      return absl::DataLossError("rows_by_hour: has other counts than hours");
    }
    for (std::size_t i = 0; i < hours.size(); ++i) part.rows_[hours[i]] = rows[i];
    return part;
  }

 private:
  static constexpr std::string_view kMagic = "PREQUELH";
  static constexpr std::int64_t kHourUs = 3'600'000'000;

  std::map<std::int64_t, std::int64_t> rows_;
};

}  // namespace prequel
