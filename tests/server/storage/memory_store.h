// A store in memory, for tests, on a disk that outlives it. Holds the same bytes as RocksStore.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/store.h"
#include "server/sync/mutex.h"
#include "tests/server/storage/memory_disk.h"

namespace prequel {

class MemoryStore final : public Store, public Catalogue, public Log, public SnapshotStore {
 public:
  struct Options {
    bool sync = true;
  };

  // FAILED_PRECONDITION while another store has `disk` open.
  static absl::StatusOr<std::unique_ptr<MemoryStore>> Open(std::shared_ptr<MemoryDisk> disk,
                                                           const Options& options);
  static absl::StatusOr<std::unique_ptr<MemoryStore>> Open(std::shared_ptr<MemoryDisk> disk);
  ~MemoryStore() override;

  Catalogue& catalogue() override { return *this; }
  Log& log() override { return *this; }
  SnapshotStore& snapshots() override { return *this; }
  absl::Status health() const override;
  absl::Status Recover() override;

  absl::Status Append(std::span<LogRecord> records) override;
  absl::StatusOr<std::uint64_t> FirstOffset(LogId log) const override;
  absl::StatusOr<std::uint64_t> EndOffset(LogId log) const override;
  std::unique_ptr<Follower> Follow(LogId log, std::uint64_t from) const override;
  absl::Status Truncate(LogId log, std::uint64_t before) override;
  absl::Status SkipTo(LogId log, std::uint64_t offset) override;
  absl::Status WriteSnapshotChunk(ModelId model, std::uint64_t next_offset, std::uint32_t index,
                                  std::string_view chunk) override;
  absl::Status CommitSnapshot(const StoredSnapshot& snapshot,
                              std::span<const std::uint64_t> drop) override;
  absl::StatusOr<std::vector<StoredSnapshot>> ListSnapshots(ModelId model) const override;
  absl::Status ReadSnapshot(
      const StoredSnapshot& snapshot,
      absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const override;
  absl::StatusOr<std::vector<StoredModel>> ListModels() const override;
  absl::StatusOr<StoredModel> CreateModel(std::string_view name, std::string_view config,
                                          std::int64_t create_time_us,
                                          const FirstSnapshot* first) override;
  absl::Status DeleteModel(std::string_view name, ModelId id) override;

 private:
  class MemoryFollower;

  MemoryStore(std::shared_ptr<MemoryDisk> disk, const Options& options, int crashes);
  void RunHook();
  // Not OK: the write must change nothing.
  absl::Status BeginWrite() ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // What the write comes to, once it has been applied.
  absl::Status EndWrite() ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // What a write that came to `status` is answered with.
  absl::Status Answer(absl::Status status);
  MemoryDisk::Table::iterator FindModel(std::string_view name) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // Of the last record, and one more; 0 when there is none.
  std::uint64_t StoredEnd(LogId log) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // The offset of the next record.
  std::uint64_t End(LogId log) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);

  const std::shared_ptr<MemoryDisk> disk_;
  const Options options_;
  const int crashes_;  // of the disk when it was opened
  absl::Status health_ ABSL_GUARDED_BY(disk_->mu_);
  std::map<LogId, std::uint64_t> skipped_to_ ABSL_GUARDED_BY(disk_->mu_);
};

}  // namespace prequel
