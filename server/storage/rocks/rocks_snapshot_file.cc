#include "server/storage/rocks/rocks_snapshot_file.h"

#include <rocksdb/env.h>

#include <cstdint>
#include <filesystem>
#include <vector>

#include "server/storage/rocks/rocks_tuning.h"

namespace prequel {
namespace {

constexpr char kPrefix[] = "snapshot-", kSuffix[] = ".unfinished";

rocksdb::Options TableOptions(const rocksdb::DB& db) {
  return {db.GetDBOptions(), SnapshotFamilyOptions()};
}

// No avalanche of dirty pages, neither at the end nor before: a synced write would wait for it.
rocksdb::EnvOptions WriteGently(const rocksdb::DB& db) {
  rocksdb::EnvOptions options(db.GetDBOptions());
  options.bytes_per_sync = std::uint64_t{256} << 10;
  options.strict_bytes_per_sync = true;
  return options;
}

}  // namespace

RocksSnapshotFile::RocksSnapshotFile(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
                                     const std::string& path)
    : db_(db),
      family_(family),
      path_(path),
      writer_(WriteGently(db), TableOptions(db), family),
      status_(writer_.Open(path)) {}

RocksSnapshotFile::~RocksSnapshotFile() { (void)db_.GetEnv()->DeleteFile(path_); }

rocksdb::Status RocksSnapshotFile::Put(const rocksdb::Slice& key, const rocksdb::Slice& value) {
  if (status_.ok()) status_ = writer_.Put(key, value);
  return status_;
}

rocksdb::Status RocksSnapshotFile::Finish() {
  if (status_.ok()) status_ = writer_.Finish();
  return status_;
}

rocksdb::Status RocksSnapshotFile::Ingest() {
  rocksdb::IngestExternalFileOptions options;
  options.move_files = true;
  options.write_global_seqno = false;  // the file stays as it was synced
  return db_.IngestExternalFile(family_, {path_}, options);
}

void RocksSnapshotFile::RemoveAll(rocksdb::Env& env, const std::string& directory) {
  std::vector<std::string> names;
  (void)env.GetChildren(directory, &names);
  for (const std::string& name : names) {
    if (!name.starts_with(kPrefix) || !name.ends_with(kSuffix)) continue;
    (void)env.DeleteFile(std::filesystem::path(directory) / name);
  }
}

std::string RocksSnapshotFile::Path(const std::string& directory, ModelId model) {
  return std::filesystem::path(directory) / (kPrefix + std::to_string(NumberOf(model)) + kSuffix);
}

}  // namespace prequel
