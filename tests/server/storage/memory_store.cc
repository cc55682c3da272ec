#include "tests/server/storage/memory_store.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/snapshot_record.h"

namespace prequel {

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

absl::Status MemoryStore::Append(std::span<LogRecord> records) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    const bool synced = options_.sync && disk_->failure_ != MemoryDisk::Failure::kSync;
    for (LogRecord& record : records) {
      record.offset = End(record.log);
      const RecordFrame frame = FrameRecord(record);
      std::string value(frame.head);
      value.append(record.payload).append(frame.tail);
      disk_->log_[frame.key] = std::move(value);
      if (!synced) disk_->unsynced_.push_back(frame.key);
    }
    if (synced) disk_->truncated_.clear();
    return EndWrite();
  };
  return Answer(write());
}

std::uint64_t MemoryStore::StoredEnd(LogId log) const {
  const auto begin = disk_->log_.lower_bound(LogKey(log, 0));
  const auto end = disk_->log_.lower_bound(LogKeysEnd(log));
  return begin == end ? 0 : OffsetOf(std::prev(end)->first) + 1;
}

std::uint64_t MemoryStore::End(LogId log) const {
  const auto skipped = skipped_to_.find(log);
  return std::max(StoredEnd(log), skipped == skipped_to_.end() ? 0 : skipped->second);
}

absl::StatusOr<std::uint64_t> MemoryStore::EndOffset(LogId log) const {
  MutexLock lock(disk_->mu_);
  return End(log);
}

absl::StatusOr<std::uint64_t> MemoryStore::FirstOffset(LogId log) const {
  MutexLock lock(disk_->mu_);
  const auto it = disk_->log_.lower_bound(LogKey(log, 0));
  if (it == disk_->log_.end() || it->first >= LogKeysEnd(log)) return 0;
  return OffsetOf(it->first);
}

class MemoryStore::MemoryFollower final : public Follower {
 public:
  MemoryFollower(const MemoryStore& store, LogId id, std::uint64_t from)
      : store_(store), id_(id), offset_(from) {}

  std::uint64_t offset() const override { return offset_; }

  absl::StatusOr<Progress> Next(std::size_t limit, RecordVisitor visit) override {
    const std::string end = LogKeysEnd(id_);
    for (; limit > 0; --limit) {
      std::string key, value;
      {
        MutexLock lock(store_.disk_->mu_);
        const auto it = store_.disk_->log_.lower_bound(LogKey(id_, offset_));
        if (it == store_.disk_->log_.end() || it->first >= end) {
          const std::uint64_t log_end = store_.End(id_);
          if (offset_ > log_end) return LogEndsBefore(id_, log_end, offset_);
          return Progress::kCaughtUp;
        }
        std::tie(key, value) = *it;
      }
      if (key != LogKey(id_, offset_)) return RecordLost(id_, offset_, "missing");
      const absl::StatusOr<LogRecord> record = DecodeRecord(id_, offset_, value);
      if (!record.ok()) return record.status();
      ++offset_;
      if (absl::Status status = visit(*record); !status.ok()) return status;
    }
    return Progress::kMore;
  }

 private:
  const MemoryStore& store_;
  const LogId id_;
  std::uint64_t offset_;
};

std::unique_ptr<Follower> MemoryStore::Follow(LogId log, std::uint64_t from) const {
  return std::make_unique<MemoryFollower>(*this, log, from);
}

// In memory at once; on the disk with the next write that is synced.
absl::Status MemoryStore::Truncate(LogId log, std::uint64_t before) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    const std::uint64_t end = StoredEnd(log);
    const std::uint64_t kept = end == 0 ? 0 : std::min(before, end - 1);
    auto it = disk_->log_.lower_bound(LogKey(log, 0));
    while (it != disk_->log_.end() && it->first < LogKey(log, kept)) {
      disk_->truncated_.insert(disk_->log_.extract(it++));
    }
    return EndWrite();
  };
  return Answer(write());
}

absl::Status MemoryStore::SkipTo(LogId log, std::uint64_t offset) {
  MutexLock lock(disk_->mu_);
  std::uint64_t& skipped_to = skipped_to_[log];
  skipped_to = std::max(skipped_to, offset);
  return absl::OkStatus();
}

absl::Status MemoryStore::WriteSnapshotChunk(ModelId model, std::uint64_t next_offset,
                                             std::uint32_t index, std::string_view chunk) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    const std::string key = SnapshotChunkKey(model, next_offset, index);
    disk_->snapshots_[key] = EncodeSnapshotChunk(key, chunk);
    disk_->unsynced_chunks_.push_back(key);
    return EndWrite();
  };
  return Answer(write());
}

absl::Status MemoryStore::CommitSnapshot(const StoredSnapshot& snapshot,
                                         std::span<const std::uint64_t> drop) {
  RunHook();
  const auto write = [&]() -> absl::Status {
    MutexLock lock(disk_->mu_);
    if (absl::Status status = BeginWrite(); !status.ok()) return status;
    // A commit whose sync fails is taken for lost: the disk is as it was before.
    if (disk_->failure_ == MemoryDisk::Failure::kSync) return EndWrite();
    const ModelId model = snapshot.model;
    disk_->snapshots_[SnapshotKey(model, snapshot.next_offset)] = EncodeSnapshotHead(snapshot);
    for (const std::uint64_t offset : drop) disk_->snapshots_.erase(SnapshotKey(model, offset));
    std::string head;  // of the chunks that follow it
    const auto end = disk_->snapshots_.lower_bound(SnapshotKeysEnd(model));
    for (auto it = disk_->snapshots_.lower_bound(SnapshotKey(model, 0)); it != end;) {
      if (IsSnapshotKey(it->first)) head = it->first;
      it = it->first.starts_with(head) && !head.empty() ? std::next(it)
                                                        : disk_->snapshots_.erase(it);
    }
    disk_->unsynced_chunks_.clear();
    disk_->truncated_.clear();
    return EndWrite();
  };
  return Answer(write());
}

absl::StatusOr<std::vector<StoredSnapshot>> MemoryStore::ListSnapshots(ModelId model) const {
  MutexLock lock(disk_->mu_);
  std::vector<StoredSnapshot> snapshots;
  const auto end = disk_->snapshots_.lower_bound(SnapshotKeysEnd(model));
  for (auto it = disk_->snapshots_.lower_bound(SnapshotKey(model, 0)); it != end; ++it) {
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
          disk_->snapshots_.find(SnapshotChunkKey(snapshot.model, snapshot.next_offset, i));
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
    model.id = ModelId{disk_->next_id_++};
    model.log = LogId{disk_->next_id_++};
  }
  absl::StatusOr<StoredSnapshot> head = StoredSnapshot();
  if (first != nullptr) head = WriteFirst(*this, model, *first);
  if (!head.ok()) return head.status();
  MutexLock lock(disk_->mu_);
  if (FindModel(name) != disk_->models_.end()) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  if (absl::Status status = BeginWrite(); !status.ok()) return status;
  disk_->truncated_.clear();
  if (first != nullptr) {
    disk_->snapshots_[SnapshotKey(model.id, 0)] = EncodeSnapshotHead(*head);
    disk_->unsynced_chunks_.clear();
  }
  disk_->models_[ModelKey(model)] = EncodeModel(model);
  if (absl::Status status = EndWrite(); !status.ok()) return status;
  return model;
}

MemoryDisk::Table::iterator MemoryStore::FindModel(std::string_view name) const {
  const std::string prefix = ModelKeyPrefix(name);
  const auto it = disk_->models_.lower_bound(prefix);
  return it != disk_->models_.end() && it->first.starts_with(prefix) ? it : disk_->models_.end();
}

absl::Status MemoryStore::DeleteModel(std::string_view name, ModelId id) {
  RunHook();
  MutexLock lock(disk_->mu_);
  const auto it = FindModel(name);
  const StoredModel model =
      it == disk_->models_.end() ? StoredModel() : DecodeModel(it->first, {}).value();
  if (model.name.empty() || model.id != id) {
    return absl::NotFoundError(absl::StrCat("model ", std::string(name), " does not exist"));
  }
  if (absl::Status status = BeginWrite(); !status.ok()) return status;
  disk_->models_.erase(it);
  disk_->truncated_.clear();
  disk_->snapshots_.erase(disk_->snapshots_.lower_bound(SnapshotKey(id, 0)),
                          disk_->snapshots_.lower_bound(SnapshotKeysEnd(id)));
  disk_->log_.erase(disk_->log_.lower_bound(LogKey(model.log, 0)),
                    disk_->log_.lower_bound(LogKeysEnd(model.log)));
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
