// A record on its way through the log to its model, and whoever waits for the answer.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "server/engine/commit/entry.h"
#include "server/engine/learn.h"
#include "server/engine/records/record.h"

namespace prequel {

struct Delivery final : Entry {
  Record record;
  std::optional<QuerySet> predict;  // of a minibatch: see LearnRequest
  double seconds = 0;               // that it takes to fold, by estimate
  LearnCallback done;
};

// Frees the record and its place in the queue, then calls back: an answered client finds room.
inline void AnswerTo(std::unique_ptr<Delivery> delivery, absl::StatusOr<LearnOutcome> outcome) {
  LearnCallback done = std::move(delivery->done);
  delivery.reset();
  done(std::move(outcome));
}

}  // namespace prequel
