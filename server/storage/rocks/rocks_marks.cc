#include "server/storage/rocks/rocks_marks.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_database.h"

namespace prequel {
namespace {

// How old a mark may be after a loss of power.
constexpr std::chrono::seconds kBetweenSyncs{1};

// Slots so near to one another are written together: a call costs more than some kilobytes.
constexpr std::uint64_t kNear = 16;

// Deleted models keep their slots, so that a deletion that was undone is noticed, as long as there
// are no more than kMaxSlots.
constexpr std::size_t kMaxSlots = 1 << 16;

}  // namespace

absl::Status RocksMarks::Load() {
  if (!env_.FileExists(path_).ok()) return absl::NotFoundError(path_ + " is missing");
  std::string bytes;
  const rocksdb::Status read = rocksdb::ReadFileToString(&env_, path_, &bytes);
  if (!read.ok()) return absl::DataLossError(absl::StrCat(path_, ": ", read.ToString()));
  const auto slot = [&bytes](std::uint64_t index) {
    return std::string_view(bytes).substr(std::min(bytes.size(), index * kMarkBytes), kMarkBytes);
  };
  const absl::StatusOr<std::uint64_t> next_id = DecodeMarksHead(slot(0));
  if (!next_id.ok()) {
    return absl::DataLossError(absl::StrCat(path_, ": ", next_id.status().message()));
  }
  MutexLock lock(mu_);
  next_id_ = *next_id;
  loaded_ = true;
  for (std::uint64_t index = 1; !slot(index).empty(); ++index) {
    next_slot_ = index + 1;
    absl::StatusOr<Mark> mark = DecodeMark(index, slot(index));
    damaged_ += !mark.ok();
    if (!mark.ok() || mark->state == MarkState::kFree) continue;
    next_id_ = std::max({next_id_, NumberOf(mark->model) + 1, NumberOf(mark->log) + 1});
    const LogId log = mark->log;
    slots_[log] = {*std::move(mark), index};
  }
  return absl::OkStatus();
}

rocksdb::Status RocksMarks::Renew(std::span<const PresentModel> present) {
  MutexLock lock(mu_);
  std::map<LogId, Slot> slots;
  for (auto& [log, slot] : slots_) {
    if (slot.mark.state == MarkState::kThere) slots[log] = std::move(slot);
  }
  for (const PresentModel& model : present) {
    next_id_ = std::max({next_id_, NumberOf(model.id) + 1, NumberOf(model.log) + 1});
    const auto known = slots_.find(model.log);
    if (known == slots_.end() && !keep_) continue;
    Mark mark{.state = MarkState::kThere,
              .model = model.id,
              .log = model.log,
              .end = model.end,
              .name = model.name};
    if (known != slots_.end()) {
      mark.end = std::max(mark.end, known->second.mark.end);
      if (known->second.mark.state == MarkState::kDeleted) mark.state = MarkState::kDeleted;
    }
    slots[model.log] = {std::move(mark), 0};
  }
  slots_ = std::move(slots);
  if (!keep_ && !loaded_) return rocksdb::Status::OK();
  bytes_ = EncodeMarksHead(next_id_);
  next_slot_ = 1;
  for (auto& [log, slot] : slots_) {
    slot.index = next_slot_++;
    bytes_ += EncodeMark(slot.index, slot.mark);
  }
  const std::string unfinished = path_ + ".unfinished";
  rocksdb::Status status = rocksdb::WriteStringToFile(&env_, bytes_, unfinished, /*sync=*/true);
  if (status.ok()) status = env_.RenameFile(unfinished, path_);
  if (status.ok()) status = SyncDirectory();
  if (status.ok()) status = env_.NewRandomRWFile(path_, &file_, rocksdb::EnvOptions());
  loaded_ = true;
  return status;
}

rocksdb::Status RocksMarks::SyncDirectory() {
  std::unique_ptr<rocksdb::Directory> directory;
  rocksdb::Status status = env_.NewDirectory(directory_, &directory);
  return status.ok() ? directory->Fsync() : status;
}

bool RocksMarks::loaded() const {
  MutexLock lock(mu_);
  return loaded_;
}

std::uint64_t RocksMarks::next_id() const {
  MutexLock lock(mu_);
  return next_id_;
}

int RocksMarks::damaged() const {
  MutexLock lock(mu_);
  return damaged_;
}

bool RocksMarks::Knows(LogId log) const {
  MutexLock lock(mu_);
  return slots_.contains(log);
}

std::uint64_t RocksMarks::End(LogId log) const {
  MutexLock lock(mu_);
  const auto slot = slots_.find(log);
  return slot == slots_.end() ? 0 : slot->second.mark.end;
}

bool RocksMarks::IsDeleted(LogId log) const {
  MutexLock lock(mu_);
  const auto slot = slots_.find(log);
  return slot != slots_.end() && slot->second.mark.state == MarkState::kDeleted;
}

std::vector<Mark> RocksMarks::Missing(const std::set<LogId>& logs) const {
  MutexLock lock(mu_);
  std::vector<Mark> missing;
  for (const auto& [log, slot] : slots_) {
    if (slot.mark.state == MarkState::kThere && !logs.contains(log)) missing.push_back(slot.mark);
  }
  return missing;
}

rocksdb::Status RocksMarks::Creating(const StoredModel& model) {
  if (!keep_) return rocksdb::Status::OK();
  MutexLock lock(mu_);
  Slot& slot = SlotOf(model.log);
  slot.mark = {
      .state = MarkState::kCreating, .model = model.id, .log = model.log, .name = model.name};
  Note(slot);
  return Write();
}

rocksdb::Status RocksMarks::Created(LogId log) { return SetState(log, MarkState::kThere); }

// The mark is synced before the deletion: a model that is gone and whose mark says otherwise would
// be taken for lost.
rocksdb::Status RocksMarks::Deleting(LogId log) { return SetState(log, MarkState::kDeleting); }

rocksdb::Status RocksMarks::Deleted(LogId log) { return SetState(log, MarkState::kDeleted); }

rocksdb::Status RocksMarks::SetState(LogId log, MarkState state) {
  MutexLock lock(mu_);
  const auto slot = slots_.find(log);
  if (slot == slots_.end()) return rocksdb::Status::OK();
  slot->second.mark.state = state;
  Note(slot->second);
  rocksdb::Status status = Write();
  return status.ok() ? Sync() : status;
}

rocksdb::Status RocksMarks::Advance(const std::map<LogId, std::uint64_t>& ends) {
  if (!keep_) return rocksdb::Status::OK();
  MutexLock lock(mu_);
  for (const auto& [log, end] : ends) {
    const auto slot = slots_.find(log);
    if (slot == slots_.end()) continue;
    slot->second.mark.end = end;
    // Its deletion failed, then: who learns is there.
    if (slot->second.mark.state == MarkState::kDeleting) {
      slot->second.mark.state = MarkState::kThere;
    }
    Note(slot->second);
  }
  rocksdb::Status status = Write();
  const bool due = std::chrono::steady_clock::now() - synced_ >= kBetweenSyncs;
  return status.ok() && due ? Sync() : status;
}

rocksdb::Status RocksMarks::AcceptEnd(LogId log, std::uint64_t end) {
  MutexLock lock(mu_);
  const auto slot = slots_.find(log);
  if (slot == slots_.end()) return rocksdb::Status::OK();
  slot->second.mark.end = end;
  slot->second.mark.state = MarkState::kThere;
  Note(slot->second);
  rocksdb::Status status = Write();
  return status.ok() ? Sync() : status;
}

RocksMarks::Slot& RocksMarks::SlotOf(LogId log) {
  const auto [slot, is_new] = slots_.try_emplace(log);
  if (!is_new) return slot->second;
  if (slots_.size() > kMaxSlots) {
    for (auto it = slots_.begin(); it != slots_.end();) {
      const bool gone = it->second.mark.state == MarkState::kDeleted;
      if (gone) free_.push_back(it->second.index);
      it = gone ? slots_.erase(it) : std::next(it);
    }
  }
  if (free_.empty()) {
    slot->second.index = next_slot_++;
  } else {
    slot->second.index = free_.back();
    free_.pop_back();
  }
  return slot->second;
}

void RocksMarks::Note(const Slot& slot) {
  const std::size_t begin = slot.index * kMarkBytes;
  bytes_.resize(std::max(bytes_.size(), begin + kMarkBytes));
  bytes_.replace(begin, kMarkBytes, EncodeMark(slot.index, slot.mark));
  unwritten_.insert(slot.index);
}

rocksdb::Status RocksMarks::Write() {
  if (file_ == nullptr) return rocksdb::Status::NotSupported("the store was opened read-only");
  while (!unwritten_.empty()) {
    const std::uint64_t first = *unwritten_.begin();
    std::uint64_t last = first;
    auto it = unwritten_.begin();
    while (it != unwritten_.end() && *it - last < kNear) last = *it++;
    const std::string_view bytes =
        std::string_view(bytes_).substr(first * kMarkBytes, (last + 1 - first) * kMarkBytes);
    rocksdb::Status status = file_->Write(first * kMarkBytes, ToSlice(bytes));
    if (!status.ok()) return status;
    unwritten_.erase(unwritten_.begin(), it);
  }
  return rocksdb::Status::OK();
}

rocksdb::Status RocksMarks::Sync() {
  synced_ = std::chrono::steady_clock::now();
  return file_->Sync();
}

}  // namespace prequel
