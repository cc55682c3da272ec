// The bytes of stored records; server/README.md is their definition.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/log.h"
#include "server/storage/store.h"

namespace prequel {

inline constexpr std::uint32_t kStoreFormat = 1;

std::string LogKey(LogId log, std::uint64_t offset);
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
absl::Status RecordLost(LogId log, std::uint64_t offset, std::string_view why);

std::string ModelKey(std::string_view name, LogId log);
std::string EncodeModel(const StoredModel& model);
// Damage to the value is reported in the result's `problem`. DATA_LOSS for a malformed key.
absl::StatusOr<StoredModel> DecodeModel(std::string_view key, std::string_view value);

// The values of the "default" family: an integer and its checksum.
std::string EncodeFormat();
absl::StatusOr<std::uint32_t> DecodeFormat(std::string_view value);
std::string EncodeNextLogId(LogId next);
absl::StatusOr<LogId> DecodeNextLogId(std::string_view value);

inline constexpr std::string_view kFormatKey = "format";
inline constexpr std::string_view kNextLogIdKey = "next_log_id";

}  // namespace prequel
