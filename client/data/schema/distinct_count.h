// How many different texts there were.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace prequel::client {

// HashOf is the same on every machine.
std::uint64_t HashOf(std::string_view text);

// Bar-Yossef et al. 2002: keeps the k smallest hashes of what was seen. Fewer than k are exact; of
// k the largest, as a share s of all hashes, says that there were about (k − 1) / s, off by 1/√k (4
// %) or so. The same texts in any order give the same count.
class DistinctCount {
 public:
  // Add takes the hash of a text; adding it again changes nothing.
  void Add(std::uint64_t hash);

  bool exact() const;
  std::int64_t count() const;

 private:
  std::vector<std::uint64_t> smallest_;  // ascending, at most k
};

}  // namespace prequel::client
