// The bytes of log records; server/formats.md is their definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/log.h"

namespace prequel {

std::string LogKey(LogId log, std::uint64_t offset);
// Behind every key of `log`, and before those of the next.
std::string LogKeysEnd(LogId log);
std::uint64_t OffsetOf(std::string_view log_key);

// A log record's value is head, payload, tail: kept apart so that the payload need not be copied.
struct RecordFrame {
  std::string key;
  std::string head;
  std::string tail;
};
// REQUIRES: record.producer.size() <= kMaxProducerBytes.
RecordFrame FrameRecord(const LogRecord& record);

// The record that `value` holds; its views point into `value`. DATA_LOSS names log and offset.
// REQUIRES: key = LogKey(log, offset).
absl::StatusOr<LogRecord> DecodeRecord(LogId log, std::uint64_t offset, std::string_view value);
// DATA_LOSS of one record.
absl::Status RecordLost(LogId log, std::uint64_t offset, std::string_view why);
// OUT_OF_RANGE: `log` ends at `end`, before `offset`, which is to be read.
absl::Status LogEndsBefore(LogId log, std::uint64_t end, std::uint64_t offset);

}  // namespace prequel
