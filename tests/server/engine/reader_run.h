// The making of a history: writers, rollbacks, forks and readers beside each other, and what each
// call saw.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "core/learner/learner.h"
#include "server/storage/store.h"
#include "tests/server/engine/reader_histories.h"

namespace prequel {

inline constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

struct Interval {
  std::int64_t invoked = 0, returned = kNever;
};

struct Write {
  Interval at;
  std::int64_t revision = 0;  // of a rollback: found out afterwards
  int producer = -1;          // −1: a rollback
  std::int64_t sequence = 0;
  std::int64_t returned_to = 0;
  std::int64_t seen = 0;  // the revision that a rollback's answer shows, at least its own
};

struct Read {
  Interval at;
  const char* call = "";
  std::int64_t revision = 0;
  std::uint64_t digest = 0;
  bool predictive = false;  // the digest is of that, not of the state
  bool newest = true;       // not of a revision that was asked for
};

// What minibatch `sequence` of `producer` is.
Batch BatchOf(int producer, std::int64_t sequence);

std::uint64_t DigestOf(const Learner& learner, const LearnerState& state);
std::uint64_t DigestOf(const Answer& answer);

struct ReaderRun {
  std::shared_ptr<const Learner> learner;
  Batch query;  // of every predictive
  std::vector<Write> writes;
  std::vector<Read> reads;
  std::string problem;  // a call that failed
};

ReaderRun RunReaders(Store& store, const ReaderOptions& options);

}  // namespace prequel
