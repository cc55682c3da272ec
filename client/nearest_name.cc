#include "client/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace prequel::client {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Levenshtein's distance, one row at a time.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (Lower(a[i]) == Lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string NearestName(std::string_view wanted, const std::vector<std::string>& names) {
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 3);
  std::size_t best = limit + 1;
  std::string nearest;
  for (const std::string& name : names) {
    const std::size_t distance = EditDistance(wanted, name);
    if (distance < best && distance < std::max(wanted.size(), name.size())) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace prequel::client
