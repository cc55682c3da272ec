// A minibatch that was accepted and is on its way to its answer.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>

#include "server/engine/admission.h"
#include "server/engine/learn.h"

namespace prequel {

class ModelActor;

struct PendingBatch {
  std::shared_ptr<ModelActor> model;
  LearnRequest request;
  LearnCallback done;
  Admission::Ticket ticket;      // of an account of `model`
  std::size_t logged_bytes = 0;  // set by the committer
  bool repeat = false;           // the committer found it in the log already: only answer it
};

// Frees the minibatch and its place in the queue, then calls back: an answered client finds room.
inline void Answer(std::unique_ptr<PendingBatch> batch, absl::StatusOr<LearnOutcome> outcome) {
  LearnCallback done = std::move(batch->done);
  batch.reset();
  done(std::move(outcome));
}

}  // namespace prequel
