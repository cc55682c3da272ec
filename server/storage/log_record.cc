#include "server/storage/log_record.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr char kRecordVersion = 1;
constexpr std::size_t kRecordHead = 3 + 8 + 8;  // of a record without a producer

}  // namespace

std::string LogKey(LogId log, std::uint64_t offset) {
  std::string key;
  AppendBigEndian(NumberOf(log), 8, &key);
  AppendBigEndian(offset, 8, &key);
  return key;
}

std::string LogKeysEnd(LogId log) { return LogKey(LogId{NumberOf(log) + 1}, 0); }

std::uint64_t OffsetOf(std::string_view log_key) { return ReadBigEndian(log_key.substr(8, 8)); }

RecordFrame FrameRecord(const LogRecord& record) {
  RecordFrame frame;
  frame.key = LogKey(record.log, record.offset);
  frame.head = {kRecordVersion, static_cast<char>(record.type),
                static_cast<char>(record.producer.size())};
  frame.head += record.producer;
  AppendInteger(record.sequence, &frame.head);
  AppendInteger(record.time_us, &frame.head);
  const std::uint32_t crc = Crc32c(frame.head, Crc32c(frame.key));
  AppendInteger(Crc32c(record.payload, crc), &frame.tail);
  return frame;
}

absl::StatusOr<LogRecord> DecodeRecord(LogId log, std::uint64_t offset, std::string_view value) {
  const auto byte = [value](std::size_t i) { return static_cast<unsigned char>(value[i]); };
  if (value.size() < kRecordHead + kCrcBytes || !HasCrc(LogKey(log, offset), value)) {
    return RecordLost(log, offset, "checksum mismatch");
  }
  if (value[0] != kRecordVersion) {
    return RecordLost(log, offset, absl::StrCat("unknown version ", byte(0)));
  }
  const std::size_t producer = byte(2);
  if (producer > kMaxProducerBytes || value.size() < kRecordHead + producer + kCrcBytes) {
    return RecordLost(log, offset, "malformed producer");
  }
  const std::size_t head = kRecordHead + producer;
  return LogRecord{.log = log,
                   .offset = offset,
                   .type = byte(1),
                   .producer = value.substr(3, producer),
                   .sequence = ReadInteger<std::uint64_t>(value.substr(3 + producer)),
                   .time_us = ReadInteger<std::int64_t>(value.substr(3 + producer + 8)),
                   .payload = value.substr(head, value.size() - head - kCrcBytes)};
}

absl::Status RecordLost(LogId log, std::uint64_t offset, std::string_view why) {
  return absl::DataLossError(
      absl::StrCat("log ", NumberOf(log), ", record at offset ", offset, ": ", std::string(why)));
}

absl::Status LogEndsBefore(LogId log, std::uint64_t end, std::uint64_t offset) {
  return absl::OutOfRangeError(
      absl::StrCat("log ", NumberOf(log), " ends at offset ", end, ", before offset ", offset));
}

}  // namespace prequel
