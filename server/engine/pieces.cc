#include "server/engine/pieces.h"

#include <algorithm>

#include "server/engine/work.h"

namespace prequel {

Pieces PiecesOf(const ModelCost& cost, const QuerySet& queries, const StillWanted& proceed) {
  constexpr double kSeconds = 0.05, kMostRows = 256;
  // Each piece draws anew, for all its rows: the fewer pieces, the fewer draws. They need not be
  // shorter than the preparation, which nothing interrupts.
  const double seconds = std::max(kSeconds, SecondsToPrepare(cost, queries));
  const double rows = seconds / SecondsOfRows(cost, 1, queries);
  return {.rows = static_cast<Index>(std::clamp(rows, 1.0, kMostRows)), .proceed = proceed};
}

}  // namespace prequel
