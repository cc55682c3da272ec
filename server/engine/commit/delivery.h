// A record on its way through the log to its model, and whoever waits for the answer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "core/predictive/query_set.h"
#include "server/engine/clock.h"
#include "server/engine/commit/admission.h"
#include "server/engine/fold/origin.h"
#include "server/engine/learn.h"
#include "server/engine/records/record.h"

namespace prequel {

struct Delivery;

// A Sink takes its deliveries back, on the committer's thread, or refusals, which may also come on
// the sender's. Must not block.
class Sink {
 public:
  virtual ~Sink() = default;

  // Deliver: `delivery` is in the log, or was before. Deliveries of one log come in the order of
  // the log.
  virtual void Deliver(std::unique_ptr<Delivery> delivery) = 0;
  // Refuse: `delivery` is not in the log; UNKNOWN: whether it is will show after a restart.
  virtual void Refuse(std::unique_ptr<Delivery> delivery, const absl::Status& status) = 0;
};

// The sender gives the first group of fields, the model that the delivery is for gives the second,
// and the committer the third.
struct Delivery {
  Record record;
  Origin origin;  // a record that was logged before is answered as it was then
  TimePoint deadline = TimePoint::max();  // when passed before the record is logged, it never is
  std::optional<QuerySet> predict;        // to be answered of a minibatch before it is learned
  LearnCallback done;

  std::shared_ptr<Sink> sink;
  std::string payload;       // that the log is to hold
  double seconds = 0;        // that it takes to fold, by estimate
  Admission::Ticket ticket;  // of an account that lives as long as `sink`

  bool repeat = false;           // it was logged before, and is only to be answered
  std::uint64_t offset = 0;      // of the log's record, unless this is a repeat
  std::int64_t time_us = 0;      // of the log's record
  std::size_t logged_bytes = 0;  // the length of `payload`, which is gone by then
};

// AnswerTo frees the record and its place in the queue, then calls back: an answered client finds
// room.
inline void AnswerTo(std::unique_ptr<Delivery> delivery, absl::StatusOr<LearnOutcome> outcome) {
  LearnCallback done = std::move(delivery->done);
  delivery.reset();
  done(std::move(outcome));
}

}  // namespace prequel
