// The store on one machine's disk: one RocksDB per data directory.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "server/storage/store.h"

namespace rocksdb {
class Env;
}

namespace prequel {

struct RocksOptions {
  std::string directory;  // created if missing; its parent must exist
  // Off, an append is durable only against a crash of the process, not of the machine: for
  // measurement.
  bool sync = true;
  // Nothing on disk changes, and no lock is taken: for a directory that no server has open. Writes
  // fail.
  bool read_only = false;
  rocksdb::Env* env = nullptr;  // not owned; null: the real file system
};

class RocksStore final : public Store {
 public:
  // FAILED_PRECONDITION: open in another process, or written by a newer version.
  // PERMISSION_DENIED: not writable. DATA_LOSS: the database itself is damaged.
  static absl::StatusOr<std::unique_ptr<RocksStore>> Open(const RocksOptions& options);
  ~RocksStore() override;

  absl::Status Append(std::span<const LogRecord> records) override;
  absl::StatusOr<std::uint64_t> FirstOffset(LogId log) const override;
  absl::Status Read(LogId log, std::uint64_t from, std::size_t limit,
                    absl::FunctionRef<absl::Status(const LogRecord&)> visit) const override;
  absl::Status WriteSnapshotChunk(LogId log, std::uint64_t next_offset, std::uint32_t index,
                                  std::string_view chunk) override;
  absl::Status CommitSnapshot(const StoredSnapshot& snapshot, std::span<const std::uint64_t> drop,
                              std::uint64_t keep_from) override;
  absl::StatusOr<std::vector<StoredSnapshot>> ListSnapshots(LogId log) const override;
  absl::Status ReadSnapshot(
      const StoredSnapshot& snapshot,
      absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const override;
  absl::StatusOr<std::vector<StoredModel>> ListModels() const override;
  absl::StatusOr<StoredModel> CreateModel(std::string_view name, std::string_view config,
                                          std::int64_t create_time_us,
                                          const FirstSnapshot* first) override;
  absl::Status DeleteModel(std::string_view name, LogId log) override;
  absl::Status health() const override;
  absl::Status Recover() override;

 private:
  struct Database;
  explicit RocksStore(std::unique_ptr<Database> database);
  std::unique_ptr<Database> database_;
};

}  // namespace prequel
