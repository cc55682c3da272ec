// RocksDB's blob file, version 1, little-endian, is a head, records, and a foot once it is
// complete:
//   head    magic (u32), version (u32), family (u32), flags (u8), compression (u8), range (16)
//   record  key length, value length, expiration (u64 each), two CRCs (u32 each), key, value
//   foot    magic (u32), count (u64), range (16), CRC (u32)
#include "server/storage/salvage/blob_scan.h"

#include <algorithm>
#include <optional>

#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr std::uint32_t kMagic = 2395959;
constexpr std::size_t kHead = 30, kFoot = 32, kRecordHead = 32;
constexpr std::size_t kMaxKey = 512;

struct BlobRecord {
  std::string_view key, value;
  std::size_t size = 0;  // in the file
};

// The record at the beginning of `bytes`, if it is one, and sound.
std::optional<BlobRecord> RecordAt(std::string_view bytes) {
  if (bytes.size() < kRecordHead) return std::nullopt;
  const auto key = ReadInteger<std::uint64_t>(bytes);
  const auto value = ReadInteger<std::uint64_t>(bytes.substr(8));
  const auto expiration = ReadInteger<std::uint64_t>(bytes.substr(16));
  const std::size_t rest = bytes.size() - kRecordHead;
  if (expiration != 0 || key == 0 || key > kMaxKey || key > rest || value > rest - key) {
    return std::nullopt;
  }
  const BlobRecord record{.key = bytes.substr(kRecordHead, key),
                          .value = bytes.substr(kRecordHead + key, value),
                          .size = kRecordHead + key + value};
  if (!HasCrc(record.key, record.value)) return std::nullopt;
  return record;
}

bool IsFoot(std::string_view bytes) {
  return bytes.size() == kFoot && ReadInteger<std::uint32_t>(bytes) == kMagic;
}

}  // namespace

rocksdb::Status ScanBlobs(
    rocksdb::Env& env, const std::string& path,
    absl::FunctionRef<void(std::uint32_t family, std::string_view key, std::string_view value)>
        found) {
  std::string file;  // up to where the disk can be read
  rocksdb::Status damage = rocksdb::ReadFileToString(&env, path, &file);
  if (file.size() < kHead) return damage;  // begun, and nothing in it
  const auto family = ReadInteger<std::uint32_t>(std::string_view(file).substr(8));
  if (ReadInteger<std::uint32_t>(file) != kMagic) {
    damage = rocksdb::Status::Corruption("its head is damaged");
  }
  std::string_view rest = std::string_view(file).substr(kHead);
  while (!rest.empty() && !IsFoot(rest)) {
    if (const std::optional<BlobRecord> record = RecordAt(rest)) {
      found(family, record->key, record->value);
      rest.remove_prefix(record->size);
    } else {
      if (damage.ok()) damage = rocksdb::Status::Corruption("a record is damaged");
      rest.remove_prefix(1);
    }
  }
  return damage;
}

}  // namespace prequel
