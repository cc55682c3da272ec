// RocksStore once its disk was full and has room again.
#include <rocksdb/env.h>

#include <cstdint>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks_database.h"

namespace prequel {
namespace {

// Beyond what is in memory: for the files that writing it down takes.
constexpr std::uint64_t kRoom = std::uint64_t{16} << 20;

// Never written, and no key begins like it: its deletion changes nothing.
constexpr std::string_view kNobodysKey = "";

}  // namespace

rocksdb::Status RocksStore::Database::Prime() {
  rocksdb::WriteBatch nothing;
  for (rocksdb::ColumnFamilyHandle* family : families) nothing.Delete(family, ToSlice(kNobodysKey));
  rocksdb::WriteOptions in_memory;
  in_memory.disableWAL = true;
  return db->Write(in_memory, &nothing);
}

bool RocksStore::Database::HasRoom() const {
  std::uint64_t free = 0, in_memory = 0;
  if (!db->GetEnv()->GetFreeSpace(db->GetName(), &free).ok()) return true;  // not known: try
  (void)db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &in_memory);
  return free >= in_memory + kRoom;
}

// A write that failed did not reach memory, but some or all of it may stand in the write-ahead log,
// where a crash would find it among the writes to come. So that log must end, and be one that no
// family reads again: each has to flush something, which notes the log that it begins in. Resume is
// the only one to end a log that has failed, and does when there is something to flush.
rocksdb::Status RocksStore::Database::BeginAfresh() {
  rocksdb::Status status = db->Resume();
  if (status.ok()) status = Prime();
  if (status.ok()) status = db->Flush(rocksdb::FlushOptions(), families);
  if (status.ok()) status = Prime();
  return status;
}

absl::Status RocksStore::Database::Recover() {
  {
    MutexLock lock(mu);
    // `writing` keeps a second Recover out as well.
    if (!absl::IsResourceExhausted(health) || writing > 0) return health;
    ++writing;
  }
  const rocksdb::Status status =
      HasRoom() ? BeginAfresh() : rocksdb::Status::NoSpace("not enough room yet");
  MutexLock lock(mu);
  --writing;
  if (status.ok()) health = absl::OkStatus();
  if (health.ok()) return health;
  return absl::Status(health.code(),
                      absl::StrCat(health.message(), "; and since: ", status.ToString()));
}

absl::Status RocksStore::Recover() { return database_->Recover(); }

}  // namespace prequel
