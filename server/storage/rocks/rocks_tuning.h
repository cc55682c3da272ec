// RocksDB's options for a small server: bounded memory, bounded write-ahead log.
#pragma once

#include <rocksdb/options.h>

#include <string>

namespace prequel {

// RocksDB's own log is written to `directory`; empty: nowhere.
rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, const std::string& directory);
rocksdb::ColumnFamilyOptions SmallFamilyOptions();  // meta and models
rocksdb::ColumnFamilyOptions LogFamilyOptions();
rocksdb::ColumnFamilyOptions SnapshotFamilyOptions();

}  // namespace prequel
