// What writers have sent, and what they have been told.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "server/sync/mutex.h"

namespace prequel::accept {

// Thread-safe.
class Ledger {
 public:
  // A minibatch: whose, and its number among its producer's.
  struct Entry {
    int producer;
    std::int64_t sequence;
  };
  struct Count {
    std::int64_t sent = 0, acknowledged = 0;
  };

  explicit Ledger(int models) : pages_(static_cast<std::size_t>(models)) {}

  // Before a minibatch is sent for the first time.
  void Sending(int model);
  // `repeated`: the answer to it had been lost before.
  void Acknowledged(int model, std::int64_t revision, const Entry& entry, bool repeated);

  Count Of(int model) const;
  // What has been acknowledged since the last time, by revision.
  std::map<std::int64_t, Entry> Take(int model);

  std::int64_t acknowledged() const;  // of all models
  std::int64_t repeated() const;      // of them
  std::int64_t clashes() const;       // two minibatches that were given one revision

 private:
  struct Page {
    Count count;
    std::map<std::int64_t, Entry> acknowledged;  // not taken yet
    std::int64_t taken = 0;                      // all up to this revision
  };

  mutable Mutex mu_;
  std::vector<Page> pages_ ABSL_GUARDED_BY(mu_);
  std::int64_t repeated_ ABSL_GUARDED_BY(mu_) = 0;
  std::int64_t clashes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel::accept
