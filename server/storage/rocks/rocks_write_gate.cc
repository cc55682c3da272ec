#include "server/storage/rocks/rocks_write_gate.h"

#include <rocksdb/env.h>

#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_tuning.h"
#include "server/storage/store.h"

namespace prequel {
namespace {

// Never written, and no key begins like it: its deletion changes nothing.
constexpr std::string_view kNobodysKey = "";

// Flushes that have failed since the database was opened.
std::uint64_t BackgroundFailures(rocksdb::DB& db) {
  std::uint64_t count = 0;
  (void)db.GetIntProperty(rocksdb::DB::Properties::kBackgroundErrors, &count);
  return count;
}

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
  // An error that Recover can get over does not hide one that it cannot.
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
  return free >= in_memory + kLargestWriteBuffer;
}

// A write that failed did not reach memory, but some or all of it may stand in the write-ahead log,
// where a crash would find it among the writes to come. So that log must end, and be one that no
// family reads again: each has to flush something, which notes the log that it begins in.
//
// RocksDB gets over a full disk by itself, and in that flushes what is in memory and ends the log.
// (DB::Resume would do so when asked, but RocksDB 7.8 forgets a flush whose turn comes while it is
// stopped and nobody recovers it, and a Resume waits for such a flush for ever.) Until it has it
// takes no write; once it has, every family flushes once more, behind the log that failed.
rocksdb::Status RocksWriteGate::BeginAfresh() {
  rocksdb::DB& db = database_.db();
  rocksdb::Status status = Prime();
  rocksdb::FlushOptions unawaited;
  unawaited.wait = false;
  unawaited.allow_write_stall = true;  // nobody writes
  const std::uint64_t failures = BackgroundFailures(db);
  if (status.ok()) status = db.Flush(unawaited, database_.families());
  if (status.ok()) status = AwaitFlush(failures);
  if (status.ok()) status = Prime();
  return status;
}

// RocksDB 7.8 never forgets that it has failed once: from then on Flush does not wait.
rocksdb::Status RocksWriteGate::AwaitFlush(std::uint64_t failures) const {
  constexpr int kPolls = 1000;
  constexpr int kMicrosecondsBetween = 1000;
  rocksdb::DB& db = database_.db();
  for (int i = 0; i < kPolls; ++i) {
    if (IsFlushed()) return rocksdb::Status::OK();
    if (BackgroundFailures(db) != failures) return rocksdb::Status::Busy("a flush has failed");
    db.GetEnv()->SleepForMicroseconds(kMicrosecondsBetween);
  }
  return rocksdb::Status::Busy("still flushing");
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
