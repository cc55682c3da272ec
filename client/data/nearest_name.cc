#include "client/data/nearest_name.h"

#include <algorithm>
#include <cstddef>

#include "core/config/edit_distance.h"

namespace prequel::client {

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
