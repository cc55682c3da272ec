// Long vectors a piece at a time, so that what an elementwise update reads stays in the first cache
// between its expressions.
#pragma once

#include <algorithm>

#include "core/linalg/types.h"

namespace prequel {

inline constexpr Index kTileSize = 512;

// Scratch for one tile, on the stack.
using Tile = Eigen::Array<double, Eigen::Dynamic, 1, Eigen::ColMajor, kTileSize, 1>;

// Calls visit(start, count) for consecutive pieces of [0, size).
template <class Visit>
void ForEachTile(Index size, const Visit& visit) {
  for (Index start = 0; start < size; start += kTileSize) {
    visit(start, std::min(kTileSize, size - start));
  }
}

}  // namespace prequel
