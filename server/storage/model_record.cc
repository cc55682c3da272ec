#include "server/storage/model_record.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"
#include "server/storage/mark_record.h"

namespace prequel {
namespace {

constexpr char kVersion = 1;
constexpr std::size_t kId = 8;
constexpr std::size_t kHead = 2 + 8;  // version, begins, create_time

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

absl::Status CheckValue(std::string_view key, std::string_view value) {
  if (value.size() < kHead + kCrcBytes || !HasCrc(key, value)) {
    return absl::DataLossError("the stored model record is damaged (checksum mismatch)");
  }
  if (value[0] != kVersion) {
    return absl::DataLossError(absl::StrCat("the stored model record has unknown version ",
                                            static_cast<unsigned char>(value[0])));
  }
  if (value[1] != 0 && value[1] != 1) {
    return absl::DataLossError("the stored model record begins in an unknown way");
  }
  return absl::OkStatus();
}

}  // namespace

std::string ModelKeyPrefix(std::string_view name) { return std::string(name) + '\0'; }

std::string ModelKey(const StoredModel& model) {
  std::string key = ModelKeyPrefix(model.name);
  AppendBigEndian(NumberOf(model.id), kId, &key);
  AppendBigEndian(NumberOf(model.log), kId, &key);
  return key;
}

std::string EncodeModel(const StoredModel& model) {
  std::string value(1, kVersion);
  value.push_back(model.from_snapshot ? 1 : 0);
  AppendInteger(model.create_time_us, &value);
  value += model.config;
  AppendCrc(ModelKey(model), &value);
  return value;
}

absl::StatusOr<StoredModel> DecodeModel(std::string_view key, std::string_view value) {
  const std::size_t end = key.find('\0');
  if (end == std::string_view::npos || key.size() - end - 1 != 2 * kId) {
    return absl::DataLossError("the store has a model under a malformed key");
  }
  StoredModel model;
  model.name = key.substr(0, end);
  model.id = ModelId{ReadBigEndian(key.substr(end + 1, kId))};
  model.log = LogId{ReadBigEndian(key.substr(key.size() - kId))};
  model.problem = CheckValue(key, value);
  if (model.problem.ok()) {
    model.from_snapshot = value[1] != 0;
    model.create_time_us = ReadInteger<std::int64_t>(value.substr(2));
    model.config = value.substr(kHead, value.size() - kHead - kCrcBytes);
  }
  return model;
}

std::string EncodeFormat() { return EncodeInteger(kFormatKey, kStoreFormat); }

absl::StatusOr<std::uint32_t> DecodeFormat(std::string_view value) {
  return DecodeInteger<std::uint32_t>(kFormatKey, value);
}

std::string EncodeNextId(std::uint64_t next) { return EncodeInteger(kNextIdKey, next); }

absl::StatusOr<std::uint64_t> DecodeNextId(std::string_view value) {
  return DecodeInteger<std::uint64_t>(kNextIdKey, value);
}

std::string EncodeMarksKey() { return EncodeInteger(kMarksKey, kMarksVersion); }

}  // namespace prequel
