// Lets writers into a RocksDB until a write fails; and again once a disk that was full has room.
// Internal to the folder.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <cstdint>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/sync/mutex.h"

namespace prequel {

// Thread-safe.
class RocksWriteGate {
 public:
  explicit RocksWriteGate(RocksDatabase& database) : database_(database) {}

  // Prime gives every family something to flush, of no meaning and in memory alone, which Recover
  // needs. To be called once, when the database is open.
  rocksdb::Status Prime();

  // Write is atomic, and durable once it returns OK (as far as writes are synced at all).
  absl::Status Write(rocksdb::WriteBatch& batch);
  // WriteUnsynced is atomic, and durable together with any later write that is.
  absl::Status WriteUnsynced(rocksdb::WriteBatch& batch);
  // Enter is for whatever else writes. Several may be in RocksDB at once; the first failure shuts
  // the gate.
  absl::Status Enter(absl::FunctionRef<rocksdb::Status()> write);

  // Shut refuses writes from here on, as if one had failed with `status`.
  void Shut(const rocksdb::Status& status) { (void)Fail(status); }

  // health and Recover are Store's.
  absl::Status health() const;
  absl::Status Recover();
  // Whether the disk has room for what is in memory, and for what it takes to write it down.
  bool HasRoom() const;

 private:
  absl::Status Fail(const rocksdb::Status& status);
  rocksdb::Status BeginAfresh();
  // AwaitFlush is Busy when it takes too long, or when more than `failures` have failed.
  rocksdb::Status AwaitFlush(std::uint64_t failures) const;
  bool IsFlushed() const;  // whatever was in memory when a flush was last asked for

  RocksDatabase& database_;
  mutable Mutex mu_;
  absl::Status health_ ABSL_GUARDED_BY(mu_);
  int writing_ ABSL_GUARDED_BY(mu_) = 0;  // threads that are in RocksDB with a write
};

}  // namespace prequel
