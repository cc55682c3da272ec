#include "server/storage/rocks/rocks_write_gate.h"

#include <rocksdb/env.h>

#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "server/storage/store.h"

namespace prequel {
namespace {

// Beyond what is in memory: for the files that writing it down takes.
constexpr std::uint64_t kRoom = std::uint64_t{16} << 20;

// Never written, and no key begins like it: its deletion changes nothing.
constexpr std::string_view kNobodysKey = "";

}  // namespace

rocksdb::Status RocksWriteGate::Prime() {
  rocksdb::WriteBatch nothing;
  for (rocksdb::ColumnFamilyHandle* family : database_.families()) {
    nothing.Delete(family, ToSlice(kNobodysKey));
  }
  rocksdb::WriteOptions in_memory;
  in_memory.disableWAL = true;
  return database_.db().Write(in_memory, &nothing);
}

absl::Status RocksWriteGate::Enter(absl::FunctionRef<rocksdb::Status()> write) {
  {
    MutexLock lock(mu_);
    if (!health_.ok()) return WritesRefused(health_);
    ++writing_;
  }
  const rocksdb::Status status = write();
  absl::Status result = status.ok() ? absl::OkStatus() : Fail(status);
  MutexLock lock(mu_);
  --writing_;
  return result;
}

absl::Status RocksWriteGate::Write(rocksdb::WriteBatch& batch) {
  rocksdb::WriteOptions options;
  options.sync = database_.sync();
  return Enter([&] { return database_.db().Write(options, &batch); });
}

absl::Status RocksWriteGate::WriteUnsynced(rocksdb::WriteBatch& batch) {
  return Enter([&] { return database_.db().Write({}, &batch); });
}

absl::Status RocksWriteGate::Fail(const rocksdb::Status& status) {
  absl::Status error = WriteError(status);
  MutexLock lock(mu_);
  // One that Recover can get over does not hide one that it cannot.
  if (health_.ok() || absl::IsResourceExhausted(health_)) health_ = error;
  return error;
}

absl::Status RocksWriteGate::health() const {
  MutexLock lock(mu_);
  return health_;
}

bool RocksWriteGate::HasRoom() const {
  rocksdb::DB& db = database_.db();
  std::uint64_t free = 0, in_memory = 0;
  if (!db.GetEnv()->GetFreeSpace(db.GetName(), &free).ok()) return true;  // not known: try
  (void)db.GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &in_memory);
  return free >= in_memory + kRoom;
}

// A write that failed did not reach memory, but some or all of it may stand in the write-ahead log,
// where a crash would find it among the writes to come. So that log must end, and be one that no
// family reads again: each has to flush something, which notes the log that it begins in. Resume is
// the only one to end a log that has failed, and does when there is something to flush.
//
// RocksDB 7.8 never forgets that it has failed once: from then on Flush does not wait for what it
// begins. Resume does, and a RocksDB that waits in Flush finds nothing left to do in it.
rocksdb::Status RocksWriteGate::BeginAfresh() {
  rocksdb::DB& db = database_.db();
  rocksdb::Status status = db.Resume();
  if (status.ok()) status = Prime();
  if (status.ok()) status = db.Flush(rocksdb::FlushOptions(), database_.families());
  if (status.ok()) status = db.Resume();
  if (status.ok() && !IsFlushed()) status = rocksdb::Status::Busy("still flushing");
  if (status.ok()) status = Prime();
  return status;
}

bool RocksWriteGate::IsFlushed() const {
  for (rocksdb::ColumnFamilyHandle* family : database_.families()) {
    std::uint64_t waiting = 0;
    if (!database_.db().GetIntProperty(family, rocksdb::DB::Properties::kNumImmutableMemTable,
                                       &waiting) ||
        waiting > 0) {
      return false;
    }
  }
  return true;
}

absl::Status RocksWriteGate::Recover() {
  {
    MutexLock lock(mu_);
    // `writing_` keeps a second Recover out as well.
    if (!absl::IsResourceExhausted(health_) || writing_ > 0) return health_;
    ++writing_;
  }
  const rocksdb::Status status =
      HasRoom() ? BeginAfresh() : rocksdb::Status::NoSpace("not enough room yet");
  MutexLock lock(mu_);
  --writing_;
  if (status.ok()) health_ = absl::OkStatus();
  if (health_.ok()) return health_;
  return absl::Status(health_.code(),
                      absl::StrCat(health_.message(), "; and since: ", status.ToString()));
}

}  // namespace prequel
