#include "server/storage/snapshot_record.h"

#include <cstddef>

#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr char kHeadVersion = 1;
constexpr char kChunkVersion = 1;
constexpr std::size_t kHeadSize = 1 + 8 + 8 + 8 + 4 + 8;  // and the build, and the CRC

absl::Status CheckHead(const StoredSnapshot& snapshot, std::string_view key,
                       std::string_view value) {
  if (value.size() < kHeadSize + kCrcBytes || !HasCrc(key, value)) {
    return SnapshotLost(snapshot, "checksum mismatch");
  }
  if (value[0] != kHeadVersion) {
    return SnapshotLost(snapshot,
                        absl::StrCat("unknown version ", static_cast<unsigned char>(value[0])));
  }
  return absl::OkStatus();
}

}  // namespace

std::string SnapshotKey(ModelId model, std::uint64_t next_offset) {
  std::string key;
  AppendBigEndian(NumberOf(model), 8, &key);
  AppendBigEndian(next_offset, 8, &key);
  return key;
}

std::string SnapshotKeysEnd(ModelId model) { return SnapshotKey(ModelId{NumberOf(model) + 1}, 0); }

std::string SnapshotChunkKey(ModelId model, std::uint64_t next_offset, std::uint32_t index) {
  std::string key = SnapshotKey(model, next_offset);
  AppendBigEndian(index, 4, &key);
  return key;
}

bool IsSnapshotKey(std::string_view key) { return key.size() == 16; }

std::string EncodeSnapshotHead(const StoredSnapshot& snapshot) {
  std::string value(1, kHeadVersion);
  AppendInteger(NumberOf(snapshot.log), &value);
  AppendInteger(snapshot.revision, &value);
  AppendInteger(snapshot.create_time_us, &value);
  AppendInteger(snapshot.chunks, &value);
  AppendInteger(snapshot.bytes, &value);
  value += snapshot.build;
  AppendCrc(SnapshotKey(snapshot.model, snapshot.next_offset), &value);
  return value;
}

StoredSnapshot DecodeSnapshotHead(std::string_view key, std::string_view value) {
  StoredSnapshot snapshot;
  snapshot.model = ModelId{ReadBigEndian(key.substr(0, 8))};
  snapshot.next_offset = ReadBigEndian(key.substr(8, 8));
  snapshot.problem = CheckHead(snapshot, key, value);
  if (!snapshot.problem.ok()) return snapshot;
  std::string_view rest = value.substr(1, value.size() - 1 - kCrcBytes);
  snapshot.log = LogId{ReadInteger<std::uint64_t>(rest)};
  rest.remove_prefix(8);
  snapshot.revision = ReadInteger<std::int64_t>(rest);
  snapshot.create_time_us = ReadInteger<std::int64_t>(rest.substr(8));
  snapshot.chunks = ReadInteger<std::uint32_t>(rest.substr(16));
  snapshot.bytes = ReadInteger<std::uint64_t>(rest.substr(20));
  snapshot.build = rest.substr(28);
  return snapshot;
}

std::string EncodeSnapshotChunk(std::string_view key, std::string_view chunk) {
  std::string value;
  value.reserve(1 + chunk.size() + kCrcBytes);
  value.push_back(kChunkVersion);
  value.append(chunk);
  AppendCrc(key, &value);
  return value;
}

absl::StatusOr<std::string_view> DecodeSnapshotChunk(const StoredSnapshot& snapshot,
                                                     std::uint32_t index, std::string_view value) {
  const std::string key = SnapshotChunkKey(snapshot.model, snapshot.next_offset, index);
  const std::string what = absl::StrCat("chunk ", index, " ");
  if (value.size() < 1 + kCrcBytes || !HasCrc(key, value)) {
    return SnapshotLost(snapshot, what + "has a checksum mismatch");
  }
  if (value[0] != kChunkVersion) return SnapshotLost(snapshot, what + "has an unknown version");
  return value.substr(1, value.size() - 1 - kCrcBytes);
}

absl::Status SnapshotLost(const StoredSnapshot& snapshot, std::string_view what) {
  return absl::DataLossError(absl::StrCat("model ", NumberOf(snapshot.model),
                                          ", snapshot at offset ", snapshot.next_offset, ": ",
                                          std::string(what)));
}

}  // namespace prequel
