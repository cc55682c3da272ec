// A store in memory, for tests: a disk that outlives it, loses what was not synced, and fails on
// demand. Holds the same bytes as RocksStore.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/store.h"
#include "server/sync/mutex.h"

namespace prequel {

// What is left when the process dies. Thread-safe.
class MemoryDisk {
 public:
  // How the next writes fail.
  enum class Failure {
    kNone,
    kWrite,  // nothing reaches the disk
    kSync,   // the bytes are written but their sync fails: a crash may or may not keep them
    kFull,   // as kWrite, for lack of space
  };

  void FailWrites(Failure failure);
  // Called within each write, before anything happens, without a lock held: to stall or to count.
  void OnWrite(std::function<void()> hook);
  // The same within each append and snapshot, when it is on disk and not yet answered.
  void OnWritten(std::function<void()> hook);
  // Power loss: what was not synced is gone, but for the first `kept` of such appends, and the
  // store that is open now can no longer write, nor answer what it has written. The disk can be
  // opened again once that store is destroyed.
  void Crash(std::size_t kept = 0);
  // Flips one bit of the stored value. REQUIRES: the record exists.
  void CorruptRecord(LogId log, std::uint64_t offset);
  void CorruptModel(std::string_view name);
  // Removes a record that should be there.
  void LoseRecord(LogId log, std::uint64_t offset);
  void CorruptSnapshot(LogId log, std::uint64_t next_offset);  // its head
  void CorruptSnapshotChunk(LogId log, std::uint64_t next_offset, std::uint32_t index);
  // Records of `log` that are there.
  std::size_t records(LogId log) const;
  // Writes that were accepted, synced or not.
  int writes() const;

 private:
  friend class MemoryStore;
  using Table = std::map<std::string, std::string, std::less<>>;  // ordered by bytes

  mutable Mutex mu_;
  Table models_ ABSL_GUARDED_BY(mu_);
  Table log_ ABSL_GUARDED_BY(mu_);
  Table snapshots_ ABSL_GUARDED_BY(mu_);
  LogId next_log_id_ ABSL_GUARDED_BY(mu_) = 1;
  std::vector<std::string> unsynced_ ABSL_GUARDED_BY(mu_);  // keys of log_ that a crash loses
  std::vector<std::string> unsynced_chunks_ ABSL_GUARDED_BY(mu_);  // the same of snapshots_
  Failure failure_ ABSL_GUARDED_BY(mu_) = Failure::kNone;
  std::function<void()> hook_ ABSL_GUARDED_BY(mu_), written_hook_ ABSL_GUARDED_BY(mu_);
  bool open_ ABSL_GUARDED_BY(mu_) = false;
  int crashes_ ABSL_GUARDED_BY(mu_) = 0;  // a store opened before the last one is dead
  int writes_ ABSL_GUARDED_BY(mu_) = 0;
};

// Models are created by one thread at a time.
class MemoryStore final : public Store {
 public:
  struct Options {
    bool sync = true;
  };

  // FAILED_PRECONDITION while another store has `disk` open.
  static absl::StatusOr<std::unique_ptr<MemoryStore>> Open(std::shared_ptr<MemoryDisk> disk,
                                                           const Options& options);
  static absl::StatusOr<std::unique_ptr<MemoryStore>> Open(std::shared_ptr<MemoryDisk> disk);
  ~MemoryStore() override;

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
  MemoryStore(std::shared_ptr<MemoryDisk> disk, const Options& options, int crashes);
  void RunHook();
  // Not OK: the write must change nothing.
  absl::Status BeginWrite() ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // What the write comes to, once it has been applied.
  absl::Status EndWrite() ABSL_EXCLUSIVE_LOCKS_REQUIRED(disk_->mu_);
  // What a write that came to `status` is answered with.
  absl::Status Answer(absl::Status status);

  const std::shared_ptr<MemoryDisk> disk_;
  const Options options_;
  const int crashes_;  // of the disk when it was opened
  absl::Status health_ ABSL_GUARDED_BY(disk_->mu_);
};

}  // namespace prequel
