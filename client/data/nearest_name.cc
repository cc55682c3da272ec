#include "client/data/nearest_name.h"

#include <algorithm>
#include <cstddef>

#include "core/config/edit_distance.h"

namespace prequel::client {

namespace {

// Nobody types longer ones, and a distance costs the product of the lengths.
constexpr std::size_t kMaxLength = 256;

// Whether two neighbouring letters that change places make `b` of `a`.
bool OneSwapApart(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const auto at = std::mismatch(a.begin(), a.end(), b.begin());
  const auto left = a.end() - at.first;
  return left >= 2 && at.first[0] == at.second[1] && at.first[1] == at.second[0] &&
         std::equal(at.first + 2, a.end(), at.second + 2);
}

}  // namespace

std::string NearestName(std::string_view wanted, const std::vector<std::string>& names) {
  std::size_t best = kMaxLength;
  std::string nearest;
  for (const std::string& name : names) {
    if (std::max(wanted.size(), name.size()) > kMaxLength) continue;
    const std::size_t distance = OneSwapApart(wanted, name) ? 1 : EditDistance(wanted, name);
    if (distance < best && IsNear(distance, std::max(wanted.size(), name.size()))) {
      best = distance;
      nearest = name;
    }
  }
  return nearest;
}

}  // namespace prequel::client
