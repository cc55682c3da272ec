// What the UCI sets took hours to measure, a line per split: a run that was broken off goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace prequel::accept {

// Of one contender on one split.
struct SplitOutcome {
  std::string setting;  // what was chosen
  double rmse = 0, log_likelihood = 0, coverage90 = 0;
};

// What a line is of. Lines of another `protocol`, a fingerprint of all that is configured, are
// passed over.
struct SplitKey {
  std::string set, contender;
  std::uint64_t protocol = 0;
  std::size_t split = 0;
};

// Tab-separated, in the folder of the results: the key, the setting and the figures, as many digits
// as it takes to read them back. It does not know the code that learned: whoever changes a rule
// deletes the file.
class UciTable {
 public:
  // In `folder`, which need not exist; empty: in memory alone. Aborts on a line it cannot read.
  explicit UciTable(const std::string& folder);

  std::optional<SplitOutcome> Find(const SplitKey& key) const;
  // Aborts when it cannot be written.
  void Add(const SplitKey& key, const SplitOutcome& outcome);

 private:
  std::string path_;  // empty: none
  std::map<std::string, SplitOutcome> lines_;
};

}  // namespace prequel::accept
