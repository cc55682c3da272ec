// What has been acknowledged, in a file beside the database: the database can lose its write-ahead
// log without noticing. Internal to the folder.
#pragma once

#include <rocksdb/env.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/storage/catalogue.h"
#include "server/storage/ids.h"
#include "server/storage/mark_record.h"
#include "server/sync/mutex.h"

namespace prequel {

// A model as the database has it.
struct PresentModel {
  std::string name;
  ModelId id{};
  LogId log{};
  std::uint64_t end = 0;  // of its log
};

// Thread-safe. A mark must not be ahead of what is on disk: Advance and Created are called once a
// write is durable, Deleting before, Deleted after.
class RocksMarks {
 public:
  // Without `keep` only deletions are marked, of models that have marks: what is not synced must
  // not be marked as acknowledged.
  RocksMarks(rocksdb::Env& env, const std::string& directory, bool keep)
      : env_(env), directory_(directory), path_(directory + "/acknowledged"), keep_(keep) {}

  // Reads the file. NOT_FOUND: there is none. DATA_LOSS: it cannot be read.
  absl::Status Load();
  // Whether there is anything to compare with.
  bool loaded() const;

  // Renew compares with the models that the database has, and writes the file anew: from here on it
  // can be written to.
  rocksdb::Status Renew(std::span<const PresentModel> present);

  bool keeps() const { return keep_; }
  // Beyond every id that was ever given to a marked model or log.
  std::uint64_t next_id() const;
  // Whether anything is known of the model that follows `log`.
  bool Knows(LogId log) const;
  // Every record of `log` before this offset has been acknowledged; 0 when nothing is known.
  std::uint64_t End(LogId log) const;
  // Whether the deletion of the model that follows `log` has been acknowledged.
  bool IsDeleted(LogId log) const;
  // Models that have been acknowledged and are not among those that follow `logs`.
  std::vector<Mark> Missing(const std::set<LogId>& logs) const;
  // Slots that could not be read.
  int damaged() const;

  rocksdb::Status Creating(const StoredModel& model);
  rocksdb::Status Created(LogId log);
  rocksdb::Status Deleting(LogId log);
  rocksdb::Status Deleted(LogId log);
  // Advance: the records of each log before its offset in `ends` are on disk, and about to be
  // acknowledged.
  rocksdb::Status Advance(const std::map<LogId, std::uint64_t>& ends);

  // AcceptEnd: what is missing of `log` will not come back. The log ends at `end`.
  rocksdb::Status AcceptEnd(LogId log, std::uint64_t end);

 private:
  struct Slot {
    Mark mark;
    std::uint64_t index = 0;
  };

  Slot& SlotOf(LogId log) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // SetState writes `state` for a log that has a slot, synced.
  rocksdb::Status SetState(LogId log, MarkState state);
  // Note has `slot` written next time.
  void Note(const Slot& slot) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // Writes what has been noted, and all that could not be written before.
  rocksdb::Status Write() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  rocksdb::Status Sync() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  rocksdb::Status SyncDirectory();

  rocksdb::Env& env_;
  const std::string directory_, path_;
  const bool keep_;

  mutable Mutex mu_;
  std::map<LogId, Slot> slots_ ABSL_GUARDED_BY(mu_);
  std::vector<std::uint64_t> free_ ABSL_GUARDED_BY(mu_);  // slots of models that are gone
  std::uint64_t next_slot_ ABSL_GUARDED_BY(mu_) = 1;
  std::uint64_t next_id_ ABSL_GUARDED_BY(mu_) = 1;
  int damaged_ ABSL_GUARDED_BY(mu_) = 0;
  bool loaded_ ABSL_GUARDED_BY(mu_) = false;
  std::string bytes_ ABSL_GUARDED_BY(mu_);                            // what the file is to hold
  std::set<std::uint64_t> unwritten_ ABSL_GUARDED_BY(mu_);            // slots where it does not yet
  std::unique_ptr<rocksdb::RandomRWFile> file_ ABSL_GUARDED_BY(mu_);  // null: read-only, or none
  std::chrono::steady_clock::time_point synced_ ABSL_GUARDED_BY(mu_);
};

}  // namespace prequel
