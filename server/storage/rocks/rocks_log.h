// The logs in a RocksDB. Internal to the folder.
#pragma once

#include <rocksdb/write_batch.h>

#include <cstdint>
#include <map>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/log.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_marks.h"
#include "server/storage/rocks/rocks_write_gate.h"
#include "server/sync/mutex.h"

namespace prequel {

class RocksLog final : public Log {
 public:
  RocksLog(RocksDatabase& database, RocksWriteGate& gate, RocksMarks& marks)
      : database_(database), gate_(gate), marks_(marks) {}

  absl::Status Append(std::span<LogRecord> records) override;
  absl::StatusOr<std::uint64_t> FirstOffset(LogId log) const override;
  absl::StatusOr<std::uint64_t> EndOffset(LogId log) const override;
  std::unique_ptr<Follower> Follow(LogId log, std::uint64_t from) const override;
  absl::Status Truncate(LogId log, std::uint64_t before) override;
  absl::Status SkipTo(LogId log, std::uint64_t offset) override;

  // Puts the deletion of `log` into `batch`; once that is written, Deleted frees the space soon.
  void Delete(LogId log, rocksdb::WriteBatch& batch) const;
  void Deleted(LogId log);

  // StoredEnd is the offset behind the last record; 0 when there is no record.
  absl::StatusOr<std::uint64_t> StoredEnd(LogId log) const;

 private:
  class RocksFollower;

  // FreeSoon has the space of the records of `log` before `end` freed soon, instead of whenever a
  // compaction comes by. Its failure loses nothing.
  void FreeSoon(LogId log, std::uint64_t end) const;

  RocksDatabase& database_;
  RocksWriteGate& gate_;
  RocksMarks& marks_;

  Mutex append_mu_;  // one append at a time, since it gives the offsets; taken before mu_
  mutable Mutex mu_;
  mutable std::map<LogId, std::uint64_t> ends_ ABSL_GUARDED_BY(mu_);  // those that were asked for
};

}  // namespace prequel
