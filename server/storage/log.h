// The logs: each an unbroken run of records, appended once and followed by whoever folds them.
// Nothing above this interface may assume that a log is local, or that its end stays where it is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/ids.h"

namespace prequel {

inline constexpr std::size_t kMaxProducerBytes = 128;

// The views are not owned.
struct LogRecord {
  LogId log{};
  std::uint64_t offset = 0;  // 0, 1, 2, … within its log; the log's to give: see Append
  std::uint8_t type = 0;     // what kind of record it is; the log does not look
  // Who sent it, at most kMaxProducerBytes; empty: nobody who counts.
  std::string_view producer;
  std::uint64_t sequence = 0;
  std::int64_t time_us = 0;  // microseconds since the Unix epoch, when it came to be appended
  std::string_view payload;
};

using RecordVisitor = absl::FunctionRef<absl::Status(const LogRecord&)>;

// Reads one log in order, and goes on as it grows. One thread at a time; the log outlives it.
class Follower {
 public:
  enum class Progress { kMore, kCaughtUp };

  virtual ~Follower() = default;

  // The offset of the next record to be visited.
  virtual std::uint64_t offset() const = 0;

  // Next calls `visit` with the next records that are at hand, at most `limit`, in order. Once
  // caught up, it has visited all that had been appended when it was called; a later call goes on
  // with what was appended since. An error of `visit` ends the reading and is returned; that record
  // counts as visited. DATA_LOSS names log and offset of a record that is missing, damaged or of an
  // unknown version; no record from there on is visited. OUT_OF_RANGE: the log ends before
  // offset(), so it has lost its last records.
  virtual absl::StatusOr<Progress> Next(std::size_t limit, RecordVisitor visit) = 0;
};

// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;

  // Appends `records`, of any number of logs, atomically, each behind the last one of its log, and
  // writes the offsets that they were given into them: all are on disk once this returns OK.
  // After an error it is unknown whether they will be there after a restart, and every later
  // write is refused until then: UNAVAILABLE, saying why. RESOURCE_EXHAUSTED: the disk is full,
  // which Store::Recover may get over, too.
  virtual absl::Status Append(std::span<LogRecord> records) = 0;

  // FirstOffset is that of the first record of `log` that there is; 0 when there is no record.
  // Truncation moves it.
  virtual absl::StatusOr<std::uint64_t> FirstOffset(LogId log) const = 0;

  // EndOffset is that of the record that would be appended to `log` next.
  virtual absl::StatusOr<std::uint64_t> EndOffset(LogId log) const = 0;

  // Reads `log` from offset `from` on.
  virtual std::unique_ptr<Follower> Follow(LogId log, std::uint64_t from) const = 0;

  // Truncate forgets the records of `log` before offset `before`, but never its last one: a log
  // that has had records is not taken for an empty one. Truncation need not be durable: after a
  // crash the records may be there again.
  virtual absl::Status Truncate(LogId log, std::uint64_t before) = 0;

  // SkipTo: `log` has lost its last records, which its reader has folded already. The next one is
  // appended at `offset`, if it would be before. Nothing is written: a restart finds the log as it
  // was.
  virtual absl::Status SkipTo(LogId log, std::uint64_t offset) = 0;
};

// Visits what a follower from `from` on has at hand, until it has caught up. Errors as of Next.
absl::Status VisitLog(const Log& log, LogId id, std::uint64_t from, RecordVisitor visit);

}  // namespace prequel
