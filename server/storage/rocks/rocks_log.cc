#include "server/storage/rocks/rocks_log.h"

#include <rocksdb/experimental.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "server/storage/log_record.h"

namespace prequel {
namespace {

constexpr std::uint64_t kBeyondAll = std::numeric_limits<std::uint64_t>::max();

absl::Status Put(const LogRecord& record, rocksdb::ColumnFamilyHandle* family,
                 rocksdb::WriteBatch& batch) {
  const RecordFrame frame = FrameRecord(record);
  const rocksdb::Slice key = frame.key;
  const std::array<rocksdb::Slice, 3> value = {frame.head, ToSlice(record.payload), frame.tail};
  const rocksdb::Status status =
      batch.Put(family, rocksdb::SliceParts(&key, 1),
                rocksdb::SliceParts(value.data(), static_cast<int>(value.size())));
  return status.ok() ? absl::OkStatus() : WriteError(status);
}

}  // namespace

// Each call looks into the database anew: nothing is kept from being freed between two of them.
class RocksLog::RocksFollower final : public Follower {
 public:
  RocksFollower(const RocksLog& log, LogId id, std::uint64_t from)
      : log_(log), id_(id), offset_(from) {}

  std::uint64_t offset() const override { return offset_; }

  absl::StatusOr<Progress> Next(std::size_t limit, RecordVisitor visit) override {
    const std::string end = LogKeysEnd(id_);
    const rocksdb::Slice upper_bound = end;
    rocksdb::ReadOptions options;
    options.iterate_upper_bound = &upper_bound;
    options.fill_cache = false;  // a log is read once
    const RocksDatabase& database = log_.database_;
    const std::unique_ptr<rocksdb::Iterator> it(database.db().NewIterator(options, database.log()));
    for (it->Seek(LogKey(id_, offset_)); it->Valid() && limit > 0; it->Next(), --limit) {
      if (ToView(it->key()) != LogKey(id_, offset_)) return RecordLost(id_, offset_, "missing");
      const absl::StatusOr<LogRecord> record = DecodeRecord(id_, offset_, ToView(it->value()));
      if (!record.ok()) return record.status();
      ++offset_;
      if (absl::Status status = visit(*record); !status.ok()) return status;
    }
    if (it->Valid()) return Progress::kMore;
    if (it->status().ok()) return AtEnd();
    if (!it->status().IsCorruption()) return ReadError(it->status());
    return RecordLost(id_, offset_, it->status().ToString());
  }

 private:
  absl::StatusOr<Progress> AtEnd() const {
    const absl::StatusOr<std::uint64_t> end = log_.EndOffset(id_);
    if (!end.ok()) return end.status();
    if (offset_ > *end) return LogEndsBefore(id_, *end, offset_);
    return Progress::kCaughtUp;
  }

  const RocksLog& log_;
  const LogId id_;
  std::uint64_t offset_;
};

absl::Status RocksLog::Append(std::span<LogRecord> records) {
  constexpr std::size_t kOverhead = 64;  // per record: key, frame, lengths
  std::size_t bytes = 0;
  for (const LogRecord& record : records) bytes += record.payload.size() + kOverhead;
  rocksdb::WriteBatch batch(bytes);
  MutexLock append_lock(append_mu_);
  std::map<LogId, std::uint64_t> ends;
  for (LogRecord& record : records) {
    const auto [end, first] = ends.try_emplace(record.log, 0);
    if (first) {
      const absl::StatusOr<std::uint64_t> known = EndOffset(record.log);
      if (!known.ok()) return known.status();
      end->second = *known;
    }
    record.offset = end->second++;
    if (absl::Status status = Put(record, database_.log(), batch); !status.ok()) return status;
  }
  if (absl::Status status = gate_.Write(batch); !status.ok()) return status;
  // The records are on disk, whatever becomes of their marks; nothing is to follow without a mark.
  if (const rocksdb::Status marked = marks_.Advance(ends); !marked.ok()) gate_.Shut(marked);
  MutexLock lock(mu_);
  for (const auto& [log, end] : ends) ends_[log] = end;
  return absl::OkStatus();
}

absl::StatusOr<std::uint64_t> RocksLog::EndOffset(LogId log) const {
  {
    MutexLock lock(mu_);
    if (const auto it = ends_.find(log); it != ends_.end()) return it->second;
  }
  absl::StatusOr<std::uint64_t> stored = StoredEnd(log);
  if (!stored.ok()) return stored;
  MutexLock lock(mu_);
  return ends_.emplace(log, *stored).first->second;  // or what an append has made of it meanwhile
}

absl::StatusOr<std::uint64_t> RocksLog::StoredEnd(LogId log) const {
  const std::string begin = LogKey(log, 0);
  const rocksdb::Slice lower_bound = begin;
  rocksdb::ReadOptions options;
  options.iterate_lower_bound = &lower_bound;
  const std::unique_ptr<rocksdb::Iterator> it(database_.db().NewIterator(options, database_.log()));
  it->SeekForPrev(LogKey(log, kBeyondAll));
  if (it->Valid()) return OffsetOf(ToView(it->key())) + 1;
  if (!it->status().ok()) return ReadError(it->status());
  return 0;
}

absl::StatusOr<std::uint64_t> RocksLog::FirstOffset(LogId log) const {
  const std::string end = LogKeysEnd(log);
  const rocksdb::Slice upper_bound = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<rocksdb::Iterator> it(database_.db().NewIterator(options, database_.log()));
  it->Seek(LogKey(log, 0));
  if (it->Valid()) return OffsetOf(ToView(it->key()));
  if (!it->status().ok()) return ReadError(it->status());
  return 0;
}

std::unique_ptr<Follower> RocksLog::Follow(LogId log, std::uint64_t from) const {
  return std::make_unique<RocksFollower>(*this, log, from);
}

absl::Status RocksLog::Truncate(LogId log, std::uint64_t before) {
  const absl::StatusOr<std::uint64_t> end = StoredEnd(log);
  if (!end.ok()) return end.status();
  if (*end == 0) return absl::OkStatus();
  const std::uint64_t kept = std::min(before, *end - 1);
  if (kept == 0) return absl::OkStatus();
  rocksdb::WriteBatch batch;
  batch.DeleteRange(database_.log(), LogKey(log, 0), LogKey(log, kept));
  if (absl::Status status = gate_.WriteUnsynced(batch); !status.ok()) return status;
  FreeSoon(log, kept);
  return absl::OkStatus();
}

absl::Status RocksLog::SkipTo(LogId log, std::uint64_t offset) {
  MutexLock append_lock(append_mu_);
  const absl::StatusOr<std::uint64_t> end = EndOffset(log);
  if (!end.ok()) return end.status();
  MutexLock lock(mu_);
  ends_[log] = std::max(*end, offset);
  return absl::OkStatus();
}

void RocksLog::Delete(LogId log, rocksdb::WriteBatch& batch) const {
  batch.DeleteRange(database_.log(), LogKey(log, 0), LogKeysEnd(log));
}

void RocksLog::Deleted(LogId log) {
  {
    MutexLock lock(mu_);
    ends_.erase(log);
  }
  FreeSoon(log, kBeyondAll);
}

void RocksLog::FreeSoon(LogId log, std::uint64_t end) const {
  const std::string begin_key = LogKey(log, 0), end_key = LogKey(log, end);
  const rocksdb::Slice first = begin_key, last = end_key;
  (void)rocksdb::experimental::SuggestCompactRange(&database_.db(), database_.log(), &first, &last);
}

}  // namespace prequel
