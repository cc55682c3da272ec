#include "tests/server/storage/memory_store.h"

#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/record.h"
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
  failure_ = Failure::kNone;
}

void MemoryDisk::CorruptRecord(LogId log, std::uint64_t offset) {
  MutexLock lock(mu_);
  std::string& value = log_.at(LogKey(log, offset));
  value[value.size() / 2] ^= 1;
}

void MemoryDisk::CorruptSnapshot(LogId log, std::uint64_t next_offset) {
  MutexLock lock(mu_);
  std::string& value = snapshots_.at(SnapshotKey(log, next_offset));
  value[value.size() / 2] ^= 1;
}

void MemoryDisk::CorruptSnapshotChunk(LogId log, std::uint64_t next_offset, std::uint32_t index) {
  MutexLock lock(mu_);
  std::string& value = snapshots_.at(SnapshotChunkKey(log, next_offset, index));
  value[value.size() / 2] ^= 1;
}

std::size_t MemoryDisk::records(LogId log) const {
  MutexLock lock(mu_);
  return static_cast<std::size_t>(
      std::distance(log_.lower_bound(LogKey(log, 0)), log_.lower_bound(LogKey(log + 1, 0))));
}

void MemoryDisk::CorruptModel(std::string_view name) {
  MutexLock lock(mu_);
  std::string& value = models_.lower_bound(ModelKey(name, 0))->second;
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

absl::StatusOr<std::unique_ptr<MemoryStore>> MemoryStore::Open(std::shared_ptr<MemoryDisk> disk,
                                                               const Options& options) {
  int crashes = 0;
  {
    MutexLock lock(disk->mu_);
    if (disk->open_) return absl::FailedPreconditionError("the disk is in use by another store");
    disk->open_ = true;
    crashes = disk->crashes_;
  }
  return std::unique_ptr<MemoryStore>(new MemoryStore(std::move(disk), options, crashes));
}

absl::StatusOr<std::unique_ptr<MemoryStore>> MemoryStore::Open(std::shared_ptr<MemoryDisk> disk) {
  return Open(std::move(disk), Options());
}

MemoryStore::MemoryStore(std::shared_ptr<MemoryDisk> disk, const Options& options, int crashes)
    : disk_(std::move(disk)), options_(options), crashes_(crashes) {}

MemoryStore::~MemoryStore() {
  MutexLock lock(disk_->mu_);
  disk_->open_ = false;
}

absl::Status MemoryStore::Append(std::span<const LogRecord> records) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    const bool synced = options_.sync && disk_->failure_ != MemoryDisk::Failure::kSync;
    for (const LogRecord& record : records) {
      const RecordFrame frame = FrameRecord(record);
      std::string value(frame.head);
      value.append(record.payload).append(frame.tail);
      disk_->log_[frame.key] = std::move(value);
      if (!synced) disk_->unsynced_.push_back(frame.key);
    }
    return EndWrite();
  };
  return Answer(write());
}

absl::StatusOr<std::uint64_t> MemoryStore::FirstOffset(LogId log) const {
  MutexLock lock(disk_->mu_);
  const auto it = disk_->log_.lower_bound(LogKey(log, 0));
  if (it == disk_->log_.end() || it->first >= LogKey(log + 1, 0)) return 0;
  return OffsetOf(it->first);
}

absl::Status MemoryStore::Read(LogId log, std::uint64_t from, std::size_t limit,
                               absl::FunctionRef<absl::Status(const LogRecord&)> visit) const {
  const std::string end = LogKey(log + 1, 0);
  for (std::uint64_t offset = from; offset - from < limit; ++offset) {
    std::string key, value;
    {
      MutexLock lock(disk_->mu_);
      const auto it = disk_->log_.lower_bound(LogKey(log, offset));
      if (it == disk_->log_.end() || it->first >= end) break;
      std::tie(key, value) = *it;
    }
    if (key != LogKey(log, offset)) return RecordLost(log, offset, "missing");
    const absl::StatusOr<LogRecord> record = DecodeRecord(log, offset, value);
    if (!record.ok()) return record.status();
    if (absl::Status status = visit(*record); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status MemoryStore::WriteSnapshotChunk(LogId log, std::uint64_t next_offset,
                                             std::uint32_t index, std::string_view chunk) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    const std::string key = SnapshotChunkKey(log, next_offset, index);
    disk_->snapshots_[key] = EncodeSnapshotChunk(key, chunk);
    disk_->unsynced_chunks_.push_back(key);
    return EndWrite();
  };
  return Answer(write());
}

absl::Status MemoryStore::CommitSnapshot(const StoredSnapshot& snapshot,
                                         std::span<const std::uint64_t> drop,
                                         std::uint64_t keep_from) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    // A commit whose sync fails is taken for lost: the disk is as it was before.
    if (disk_->failure_ == MemoryDisk::Failure::kSync) return EndWrite();
    const LogId log = snapshot.log;
    disk_->snapshots_[SnapshotKey(log, snapshot.next_offset)] = EncodeSnapshotHead(snapshot);
    for (const std::uint64_t offset : drop) disk_->snapshots_.erase(SnapshotKey(log, offset));
    std::string head;  // of the chunks that follow it
    const auto end = disk_->snapshots_.lower_bound(SnapshotKey(log + 1, 0));
    for (auto it = disk_->snapshots_.lower_bound(SnapshotKey(log, 0)); it != end;) {
      if (IsSnapshotKey(it->first)) head = it->first;
      it = it->first.starts_with(head) && !head.empty() ? std::next(it)
                                                        : disk_->snapshots_.erase(it);
    }
    disk_->unsynced_chunks_.clear();
    disk_->log_.erase(disk_->log_.lower_bound(LogKey(log, 0)),
                      disk_->log_.lower_bound(LogKey(log, keep_from)));
    return EndWrite();
  };
  return Answer(write());
}

absl::StatusOr<std::vector<StoredSnapshot>> MemoryStore::ListSnapshots(LogId log) const {
  MutexLock lock(disk_->mu_);
  std::vector<StoredSnapshot> snapshots;
  const auto end = disk_->snapshots_.lower_bound(SnapshotKey(log + 1, 0));
  for (auto it = disk_->snapshots_.lower_bound(SnapshotKey(log, 0)); it != end; ++it) {
    if (IsSnapshotKey(it->first)) snapshots.push_back(DecodeSnapshotHead(it->first, it->second));
  }
  return snapshots;
}

absl::Status MemoryStore::ReadSnapshot(
    const StoredSnapshot& snapshot,
    absl::FunctionRef<absl::Status(std::string_view chunk)> visit) const {
  for (std::uint32_t i = 0; i < snapshot.chunks; ++i) {
    std::string value;
    {
      MutexLock lock(disk_->mu_);
      const auto it =
          disk_->snapshots_.find(SnapshotChunkKey(snapshot.log, snapshot.next_offset, i));
      if (it != disk_->snapshots_.end()) value = it->second;
    }
    const absl::StatusOr<std::string_view> chunk = DecodeSnapshotChunk(snapshot, i, value);
    if (!chunk.ok()) return chunk.status();
    if (absl::Status status = visit(*chunk); !status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<StoredModel>> MemoryStore::ListModels() const {
  MutexLock lock(disk_->mu_);
  std::vector<StoredModel> models;
  for (const auto& [key, value] : disk_->models_) {
    absl::StatusOr<StoredModel> model = DecodeModel(key, value);
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  return models;
}

absl::StatusOr<StoredModel> MemoryStore::CreateModel(std::string_view name, std::string_view config,
                                                     std::int64_t create_time_us,
                                                     const FirstSnapshot* first) {
  RunHook();
  StoredModel model{.name = std::string(name),
                    .create_time_us = create_time_us,
                    .from_snapshot = first != nullptr,
                    .config = std::string(config)};
  {
    MutexLock lock(disk_->mu_);
    model.log = disk_->next_log_id_;
  }
  absl::StatusOr<StoredSnapshot> head = StoredSnapshot();
  if (first != nullptr) head = WriteFirst(*this, model.log, create_time_us, *first);
  if (!head.ok()) return head.status();
  MutexLock lock(disk_->mu_);
  const auto it = disk_->models_.lower_bound(ModelKey(name, 0));
  if (it != disk_->models_.end() && it->first < ModelKey(name, ~LogId{0})) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  if (absl::Status status = BeginWrite(); !status.ok()) return status;
  disk_->next_log_id_ = model.log + 1;
  if (first != nullptr) {
    disk_->snapshots_[SnapshotKey(model.log, 0)] = EncodeSnapshotHead(*head);
    disk_->unsynced_chunks_.clear();
  }
  disk_->models_[ModelKey(name, model.log)] = EncodeModel(model);
  if (absl::Status status = EndWrite(); !status.ok()) return status;
  return model;
}

absl::Status MemoryStore::DeleteModel(std::string_view name, LogId log) {
  RunHook();
  MutexLock lock(disk_->mu_);
  if (disk_->models_.count(ModelKey(name, log)) == 0) {
    return absl::NotFoundError(absl::StrCat("model ", std::string(name), " does not exist"));
  }
  if (absl::Status status = BeginWrite(); !status.ok()) return status;
  disk_->models_.erase(ModelKey(name, log));
  disk_->snapshots_.erase(disk_->snapshots_.lower_bound(SnapshotKey(log, 0)),
                          disk_->snapshots_.lower_bound(SnapshotKey(log + 1, 0)));
  disk_->log_.erase(disk_->log_.lower_bound(LogKey(log, 0)),
                    disk_->log_.lower_bound(LogKey(log + 1, 0)));
  return EndWrite();
}

absl::Status MemoryStore::health() const {
  MutexLock lock(disk_->mu_);
  return health_;
}

absl::Status MemoryStore::Recover() {
  MutexLock lock(disk_->mu_);
  if (absl::IsResourceExhausted(health_) && disk_->failure_ != MemoryDisk::Failure::kFull) {
    health_ = absl::OkStatus();  // nothing of what failed had reached the disk
  }
  return health_;
}

void MemoryStore::RunHook() {
  std::function<void()> hook;
  {
    MutexLock lock(disk_->mu_);
    hook = disk_->hook_;
  }
  if (hook) hook();
}

absl::Status MemoryStore::BeginWrite() {
  if (disk_->crashes_ != crashes_) health_ = absl::UnavailableError("the disk is gone");
  if (!health_.ok()) return WritesRefused(health_);
  switch (disk_->failure_) {
    case MemoryDisk::Failure::kWrite:
      health_ = absl::UnknownError("a write failed: injected");
      break;
    case MemoryDisk::Failure::kFull:
      health_ = absl::ResourceExhaustedError("a write failed: no space left (injected)");
      break;
    case MemoryDisk::Failure::kNone:
    case MemoryDisk::Failure::kSync:
      break;
  }
  return health_;
}

absl::Status MemoryStore::EndWrite() {
  ++disk_->writes_;
  if (disk_->failure_ == MemoryDisk::Failure::kSync) {
    health_ = absl::UnknownError("a sync failed: injected");
  }
  return health_;
}

absl::Status MemoryStore::Answer(absl::Status status) {
  std::function<void()> hook;
  {
    MutexLock lock(disk_->mu_);
    hook = disk_->written_hook_;
  }
  if (hook) hook();
  MutexLock lock(disk_->mu_);
  if (status.ok() && disk_->crashes_ != crashes_) {
    return absl::UnavailableError("the disk is gone");
  }
  return status;
}

}  // namespace prequel
