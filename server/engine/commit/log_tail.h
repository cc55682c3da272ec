// The numbers that one log holds, as the only one that appends to it knows them: what the ledger
// will know once all that is logged has been folded.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/engine/fold/ledger.h"
#include "server/engine/fold/origin.h"
#include "server/engine/fold/recency_table.h"

namespace prequel {

// A LogTail belongs to the committer: one thread at a time.
class LogTail {
 public:
  enum class Verdict {
    kNew,     // to be logged
    kRepeat,  // logged before
    kGap,     // others must come first
  };

  // REQUIRES: everything in the log has been folded into `ledger`.
  explicit LogTail(const Ledger& ledger);

  // Take says what is to become of a minibatch of `origin`. kNew takes its number, provisionally
  // until Settle.
  Verdict Take(const Origin& origin);
  // Settle: `logged` says whether what was taken since the last Settle is in the log now.
  void Settle(bool logged);

  // The number that `producer` is to go on with.
  std::int64_t Next(std::string_view producer) const;

 private:
  struct Seen {};

  bool Known(std::string_view request) const;

  RecencyTable<std::int64_t> producers_;  // their next numbers
  RecencyTable<Seen> requests_;
  std::vector<Origin> taken_;  // since the last Settle, in log order
  std::map<std::pair<bool, std::string>, std::int64_t> next_;  // of taken_; by numbered() and id
};

}  // namespace prequel
