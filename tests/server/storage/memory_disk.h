// A disk in memory, for tests: it outlives its store, loses what was not synced, and fails on
// demand.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/storage/ids.h"
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
  // Power loss: what was not synced is gone, but for the first `kept` of such appends, and what was
  // truncated and not synced is back. The store that is open now can no longer write, nor answer
  // what it has written. The disk can be opened again once that store is destroyed.
  void Crash(std::size_t kept = 0);
  // Flips one bit of the stored value. REQUIRES: the record exists.
  void CorruptRecord(LogId log, std::uint64_t offset);
  void CorruptModel(std::string_view name);
  // Removes a record that should be there.
  void LoseRecord(LogId log, std::uint64_t offset);
  void CorruptSnapshot(ModelId model, std::uint64_t next_offset);  // its head
  void CorruptSnapshotChunk(ModelId model, std::uint64_t next_offset, std::uint32_t index);
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
  std::uint64_t next_id_ ABSL_GUARDED_BY(mu_) = 1;
  std::vector<std::string> unsynced_ ABSL_GUARDED_BY(mu_);  // keys of log_ that a crash loses
  std::vector<std::string> unsynced_chunks_ ABSL_GUARDED_BY(mu_);  // the same of snapshots_
  Table truncated_ ABSL_GUARDED_BY(mu_);  // of log_, deleted, which a crash brings back
  Failure failure_ ABSL_GUARDED_BY(mu_) = Failure::kNone;
  std::function<void()> hook_ ABSL_GUARDED_BY(mu_), written_hook_ ABSL_GUARDED_BY(mu_);
  bool open_ ABSL_GUARDED_BY(mu_) = false;
  int crashes_ ABSL_GUARDED_BY(mu_) = 0;  // a store opened before the last one is dead
  int writes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
