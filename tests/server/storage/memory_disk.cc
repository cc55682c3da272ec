#include "tests/server/storage/memory_disk.h"

#include <iterator>
#include <utility>

#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/snapshot_record.h"

namespace prequel {

void MemoryDisk::FailWrites(Failure failure) {
  MutexLock lock(mu_);
  failure_ = failure;
}

void MemoryDisk::OnWrite(std::function<void()> hook) {
  MutexLock lock(mu_);
  hook_ = std::move(hook);
}

void MemoryDisk::OnWritten(std::function<void()> hook) {
  MutexLock lock(mu_);
  written_hook_ = std::move(hook);
}

void MemoryDisk::Crash(std::size_t kept) {
  MutexLock lock(mu_);
  ++crashes_;
  for (std::size_t i = kept; i < unsynced_.size(); ++i) log_.erase(unsynced_[i]);
  unsynced_.clear();
  for (const std::string& key : unsynced_chunks_) snapshots_.erase(key);
  unsynced_chunks_.clear();
  log_.merge(truncated_);
  truncated_.clear();
  failure_ = Failure::kNone;
}

void MemoryDisk::CorruptRecord(LogId log, std::uint64_t offset) {
  MutexLock lock(mu_);
  std::string& value = log_.at(LogKey(log, offset));
  value[value.size() / 2] ^= 1;
}

void MemoryDisk::CorruptSnapshot(ModelId model, std::uint64_t next_offset) {
  MutexLock lock(mu_);
  std::string& value = snapshots_.at(SnapshotKey(model, next_offset));
  value[value.size() / 2] ^= 1;
}

void MemoryDisk::CorruptSnapshotChunk(ModelId model, std::uint64_t next_offset,
                                      std::uint32_t index) {
  MutexLock lock(mu_);
  std::string& value = snapshots_.at(SnapshotChunkKey(model, next_offset, index));
  value[value.size() / 2] ^= 1;
}

std::size_t MemoryDisk::records(LogId log) const {
  MutexLock lock(mu_);
  return static_cast<std::size_t>(
      std::distance(log_.lower_bound(LogKey(log, 0)), log_.lower_bound(LogKeysEnd(log))));
}

void MemoryDisk::CorruptModel(std::string_view name) {
  MutexLock lock(mu_);
  std::string& value = models_.lower_bound(ModelKeyPrefix(name))->second;
  value[value.size() / 2] ^= 1;
}

void MemoryDisk::LoseRecord(LogId log, std::uint64_t offset) {
  MutexLock lock(mu_);
  log_.erase(LogKey(log, offset));
}

int MemoryDisk::writes() const {
  MutexLock lock(mu_);
  return writes_;
}

}  // namespace prequel
