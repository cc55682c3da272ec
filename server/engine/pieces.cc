#include "server/engine/pieces.h"

#include <algorithm>

#include "server/engine/work.h"

namespace prequel {

Pieces PiecesOf(const ModelCost& cost, const QuerySet& queries, const StillWanted& proceed) {
  constexpr double kSeconds = 0.05, kMostRows = 256;
  const double rows = kSeconds / SecondsToAnswer(cost, 1, queries);
  return {.rows = static_cast<Index>(std::clamp(rows, 1.0, kMostRows)), .proceed = proceed};
}

}  // namespace prequel
