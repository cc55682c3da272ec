// RocksDB's options for a small server: bounded memory, bounded write-ahead log.
#pragma once

#include <rocksdb/options.h>

#include <cstdint>
#include <string>

namespace prequel {

// Bytes. After a full disk RocksDB goes on once there is room for it.
inline constexpr std::uint64_t kLargestWriteBuffer = std::uint64_t{64} << 20;

// RocksDB's own log is written to `directory`; empty: nowhere.
rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, const std::string& directory);
rocksdb::ColumnFamilyOptions SmallFamilyOptions();  // meta and models
rocksdb::ColumnFamilyOptions LogFamilyOptions();
rocksdb::ColumnFamilyOptions SnapshotFamilyOptions();

}  // namespace prequel
