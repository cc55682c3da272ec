// RocksDB's options for a small server: bounded memory, bounded write-ahead log.
#pragma once

#include <rocksdb/options.h>

namespace prequel {

rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env);
rocksdb::ColumnFamilyOptions SmallFamilyOptions();  // meta and models
rocksdb::ColumnFamilyOptions LogFamilyOptions();
rocksdb::ColumnFamilyOptions SnapshotFamilyOptions();

}  // namespace prequel
