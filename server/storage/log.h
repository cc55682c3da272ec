// The log of minibatches: per model, an unbroken run of records that is written once and replayed.
// Nothing above this interface may assume that it is local.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace prequel {

// One model's log. Never reused: a model created again under the same name gets another.
using LogId = std::uint64_t;

enum class RecordType : std::uint8_t {
  kMinibatch = 1,
  kRefusal = 2,   // of a numbered minibatch that could not be learned from: uses up its number
  kRollback = 3,  // to an earlier state, which the payload holds
};

inline constexpr std::size_t kMaxProducerBytes = 128;

// The views are not owned.
struct LogRecord {
  LogId log = 0;
  std::uint64_t offset = 0;  // 0, 1, 2, … within its log
  RecordType type = RecordType::kMinibatch;
  // Who sent it, at most kMaxProducerBytes; empty: nobody who counts. See engine/origin.h.
  std::string_view producer;
  std::uint64_t sequence = 0;
  std::string_view payload;
};

// Thread-safe.
class Log {
 public:
  virtual ~Log() = default;

  // Appends `records`, of any number of logs, atomically: all are on disk once this returns OK.
  // After an error it is unknown whether they will be there after a restart, and every later
  // write is refused until then: UNAVAILABLE, saying why. RESOURCE_EXHAUSTED: the disk is full,
  // which Store::Recover may get over, too.
  // REQUIRES: each log continues at its next offset.
  virtual absl::Status Append(std::span<const LogRecord> records) = 0;

  // Of the first record of `log` that there is; 0 when there is none. Truncation moves it.
  virtual absl::StatusOr<std::uint64_t> FirstOffset(LogId log) const = 0;

  // Calls `visit` with up to `limit` records of `log` from offset `from` on, in order. An error
  // of `visit` ends the reading and is returned. DATA_LOSS names log and offset of a record that
  // is missing, damaged or of an unknown version; no record from there on is visited.
  virtual absl::Status Read(LogId log, std::uint64_t from, std::size_t limit,
                            absl::FunctionRef<absl::Status(const LogRecord&)> visit) const = 0;
};

}  // namespace prequel
