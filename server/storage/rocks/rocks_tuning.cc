#include "server/storage/rocks/rocks_tuning.h"

#include <rocksdb/cache.h>
#include <rocksdb/sst_file_manager.h>
#include <rocksdb/table.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "server/storage/rocks/rocks_info_log.h"
#include "server/storage/rocks/rocks_options.h"

namespace prequel {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Deletes large files bit by bit, since a synced write waits while the file system frees space.
// More than that, or than there is of files in use, goes at once. The same object tries every five
// seconds whether a disk that was full has room again, and then gets RocksDB over it.
std::shared_ptr<rocksdb::SstFileManager> DeleteGently(rocksdb::Env* env) {
  constexpr std::int64_t kBytesPerSecond = 256 * kMiB;
  constexpr double kMostOfAll = 1;
  constexpr std::uint64_t kBytesAtOnce = 4 * kMiB;
  return std::shared_ptr<rocksdb::SstFileManager>(
      rocksdb::NewSstFileManager(env, nullptr, "", kBytesPerSecond, /*delete_existing_trash=*/true,
                                 /*status=*/nullptr, kMostOfAll, kBytesAtOnce));
}

}  // namespace

rocksdb::DBOptions DatabaseOptions(rocksdb::Env* env, const std::string& directory) {
  rocksdb::DBOptions options;
  options.env = env;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  // Acknowledged minibatches must not vanish: see server/durability.md, "When the log is lost".
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kTolerateCorruptedTailRecords;
  options.paranoid_checks = true;
  options.db_write_buffer_size = 256 * kMiB;
  options.max_total_wal_size = 512 * kMiB;
  options.max_background_jobs = 2;  // one flush, one compaction: the cores are for folding
  options.bytes_per_sync = kMiB;    // no avalanche of dirty pages when a flush ends
  options.max_open_files = kMostOpenFiles;
  options.info_log = directory.empty() ? std::make_shared<RocksInfoLog>()
                                       : std::make_shared<RocksInfoLog>(directory);
  options.stats_dump_period_sec = 0;
  options.sst_file_manager = DeleteGently(env);
  return options;
}

rocksdb::ColumnFamilyOptions SmallFamilyOptions() {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = 4 * kMiB;
  options.compression = rocksdb::kNoCompression;
  return options;
}

rocksdb::ColumnFamilyOptions LogFamilyOptions() {
  rocksdb::ColumnFamilyOptions options;
  options.write_buffer_size = kLargestWriteBuffer;
  options.max_write_buffer_number = 3;
  options.compression = rocksdb::kNoCompression;
  options.enable_blob_files = true;
  options.min_blob_size = 4096;
  options.blob_file_size = 256 * kMiB;
  options.enable_blob_garbage_collection = true;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = rocksdb::NewLRUCache(16 * kMiB);
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

// Written once, read at most once, deleted as a whole.
rocksdb::ColumnFamilyOptions SnapshotFamilyOptions() {
  rocksdb::ColumnFamilyOptions options = LogFamilyOptions();
  options.write_buffer_size = 16 * kMiB;
  options.blob_file_size = 64 * kMiB;
  return options;
}

}  // namespace prequel
