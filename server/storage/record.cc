#include "server/storage/record.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr char kRecordVersion = 1;
constexpr char kModelVersion = 1;
constexpr std::size_t kRecordHead = 3 + 8;  // of a record without a producer

template <class T>
std::string EncodeInteger(std::string_view key, T integer) {
  std::string value;
  AppendInteger(integer, &value);
  AppendCrc(key, &value);
  return value;
}

template <class T>
absl::StatusOr<T> DecodeInteger(std::string_view key, std::string_view value) {
  if (value.size() != sizeof(T) + kCrcBytes || !HasCrc(key, value)) {
    return absl::DataLossError(absl::StrCat("the store's \"", std::string(key), "\" is damaged"));
  }
  return ReadInteger<T>(value);
}

absl::Status CheckModelValue(std::string_view key, std::string_view value) {
  if (value.size() < 2 + 8 + kCrcBytes || !HasCrc(key, value)) {
    return absl::DataLossError("the stored model record is damaged (checksum mismatch)");
  }
  if (value[0] != kModelVersion) {
    return absl::DataLossError(absl::StrCat("the stored model record has unknown version ",
                                            static_cast<unsigned char>(value[0])));
  }
  if (value[1] != 0 && value[1] != 1) {
    return absl::DataLossError("the stored model record begins in an unknown way");
  }
  return absl::OkStatus();
}

}  // namespace

std::string LogKey(LogId log, std::uint64_t offset) {
  std::string key;
  AppendBigEndian(log, 8, &key);
  AppendBigEndian(offset, 8, &key);
  return key;
}

std::uint64_t OffsetOf(std::string_view log_key) { return ReadBigEndian(log_key.substr(8, 8)); }

RecordFrame FrameRecord(const LogRecord& record) {
  RecordFrame frame;
  frame.key = LogKey(record.log, record.offset);
  frame.head = {kRecordVersion, static_cast<char>(record.type),
                static_cast<char>(record.producer.size())};
  frame.head += record.producer;
  AppendInteger(record.sequence, &frame.head);
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
  if (byte(1) < static_cast<int>(RecordType::kMinibatch) ||
      byte(1) > static_cast<int>(RecordType::kRollback)) {
    return RecordLost(log, offset, absl::StrCat("unknown type ", byte(1)));
  }
  const std::size_t producer = byte(2);
  if (producer > kMaxProducerBytes || value.size() < kRecordHead + producer + kCrcBytes) {
    return RecordLost(log, offset, "malformed producer");
  }
  const std::size_t head = kRecordHead + producer;
  return LogRecord{.log = log,
                   .offset = offset,
                   .type = static_cast<RecordType>(value[1]),
                   .producer = value.substr(3, producer),
                   .sequence = ReadInteger<std::uint64_t>(value.substr(3 + producer)),
                   .payload = value.substr(head, value.size() - head - kCrcBytes)};
}

absl::Status RecordLost(LogId log, std::uint64_t offset, std::string_view why) {
  return absl::DataLossError(
      absl::StrCat("log ", log, ", record at offset ", offset, ": ", std::string(why)));
}

std::string ModelKey(std::string_view name, LogId log) {
  std::string key(name);
  key.push_back('\0');
  AppendBigEndian(log, 8, &key);
  return key;
}

std::string EncodeModel(const StoredModel& model) {
  std::string value(1, kModelVersion);
  value.push_back(model.from_snapshot ? 1 : 0);
  AppendInteger(model.create_time_us, &value);
  value += model.config;
  AppendCrc(ModelKey(model.name, model.log), &value);
  return value;
}

absl::StatusOr<StoredModel> DecodeModel(std::string_view key, std::string_view value) {
  const std::size_t end = key.find('\0');
  if (end == std::string_view::npos || key.size() != end + 1 + 8) {
    return absl::DataLossError("the store has a model under a malformed key");
  }
  StoredModel model;
  model.name = key.substr(0, end);
  model.log = ReadBigEndian(key.substr(end + 1));
  model.problem = CheckModelValue(key, value);
  if (model.problem.ok()) {
    model.from_snapshot = value[1] != 0;
    model.create_time_us = ReadInteger<std::int64_t>(value.substr(2));
    model.config = value.substr(10, value.size() - 10 - kCrcBytes);
  }
  return model;
}

std::string EncodeFormat() { return EncodeInteger(kFormatKey, kStoreFormat); }

absl::StatusOr<std::uint32_t> DecodeFormat(std::string_view value) {
  return DecodeInteger<std::uint32_t>(kFormatKey, value);
}

std::string EncodeNextLogId(LogId next) { return EncodeInteger(kNextLogIdKey, next); }

absl::StatusOr<LogId> DecodeNextLogId(std::string_view value) {
  return DecodeInteger<LogId>(kNextLogIdKey, value);
}

}  // namespace prequel
