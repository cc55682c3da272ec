// What is to be logged, and whom it goes back to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "server/engine/clock.h"
#include "server/engine/commit/admission.h"
#include "server/engine/fold/origin.h"

namespace prequel {

struct Entry;

// Takes its entries back, on the committer's thread, or refusals on the sender's. Must not block.
class Sink {
 public:
  virtual ~Sink() = default;

  // `entry` is in the log, or was before. Those of one log come in the order of the log.
  virtual void Deliver(std::unique_ptr<Entry> entry) = 0;
  // `entry` is not in the log; UNKNOWN: whether it is will show after a restart.
  virtual void Refuse(std::unique_ptr<Entry> entry, const absl::Status& status) = 0;
};

// Bytes with an origin: all that the committer knows of a record. A sender derives from this what
// it needs when they come back.
struct Entry {
  virtual ~Entry() = default;

  std::shared_ptr<Sink> sink;
  Origin origin;
  std::uint8_t type = 0;  // of the log's record
  std::string payload;
  TimePoint deadline = TimePoint::max();  // when passed before the entry is logged, it never is
  Admission::Ticket ticket;               // of an account that lives as long as `sink`

  // Set by the committer: it was logged before, and is only to be answered.
  bool repeat = false;
  std::uint64_t offset = 0;      // of the record, unless it is a repeat
  std::size_t logged_bytes = 0;  // the length of `payload`, which is gone by then
};

}  // namespace prequel
