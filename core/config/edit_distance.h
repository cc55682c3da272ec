// How far a misspelt name is from one that is meant. Standard library only: the client includes it
// too.
#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string_view>
#include <vector>

namespace prequel {

// IsNear: whether a name at that distance from another may be a misspelling of it, `longer` being
// the length of the longer one. Beyond, a suggestion would be a guess.
inline bool IsNear(std::size_t distance, std::size_t longer) {
  return distance <= 3 && distance <= longer / 3;
}

// Levenshtein 1966: the letters to insert, delete or replace that make `b` of `a`, the case of
// ASCII letters ignored.
inline std::size_t EditDistance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  // row[j] is the distance of a's letters so far to the first j letters of b.
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace prequel
