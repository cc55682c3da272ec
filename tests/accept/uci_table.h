// What the UCI sets took hours to measure, a line per split: a run that was broken off goes on.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/accept/check.h"

namespace prequel::accept {

// Of one contender on one split.
struct SplitOutcome {
  std::string setting;  // what was chosen
  double rmse = 0, log_likelihood = 0, coverage90 = 0;
};

// Tab-separated, in the folder of the results: set, contender, split, setting and the figures, as
// many digits as it takes to read them back.
class UciTable {
 public:
  // In `folder`, which need not exist; empty: in memory alone. Aborts on a line it cannot read.
  explicit UciTable(const std::string& folder);

  std::optional<SplitOutcome> Find(const std::string& set, const std::string& contender,
                                   std::size_t split) const;
  // Aborts when it cannot be written.
  void Add(const std::string& set, const std::string& contender, std::size_t split,
           const SplitOutcome& outcome);

 private:
  std::string path_;  // empty: none
  std::map<std::string, SplitOutcome> lines_;
};

}  // namespace prequel::accept
