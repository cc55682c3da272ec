// What readers see of a model that is written to at the same time: a history, checked afterwards.
#pragma once

#include <cstdint>
#include <string>

#include "server/storage/store.h"

namespace prequel {

struct ReaderOptions {
  std::uint64_t seed = 0;
  int writers = 2;        // producers, each with a few minibatches in flight
  int readers = 2;        // threads that read without pause
  int minibatches = 150;  // of each writer
};

// How often each thing happened, and what went wrong: empty when every read was right.
struct ReaderHistories {
  std::int64_t writes = 0, rollbacks = 0, forks = 0, reads = 0, past_reads = 0;
  std::string problem;

  void Add(const ReaderHistories& other);
};

// Runs an engine on `store`, which must be empty, with writers, rollbacks, forks and readers beside
// each other. Every call notes when it was made and when it returned, on one counter. A revision is
// the count of writes, so the model is linearizable if each read of the newest state
//
// - is at a revision that some write had been invoked for when the read returned;
// - is at or beyond every revision acknowledged, or read by anybody, before it was invoked (so
//   for no reader does it decrease, and every producer reads what it wrote);
// - is, bit for bit, the plain fold of the writes up to that revision: state and predictive.
//
// Reads of past revisions, and forks, are the fold up to the revision asked for.
ReaderHistories CheckReaders(Store& store, const ReaderOptions& options);

}  // namespace prequel
