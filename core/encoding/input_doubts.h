// Encoded inputs of a minibatch that stand for what is not known: which, and how far off they may
// be.
#pragma once

#include <vector>

#include "core/linalg/types.h"

namespace prequel {

struct InputDoubts {
  // Cell says that the encoded number z of a row is a guess, whose error has this variance.
  struct Cell {
    Index at = 0;      // in `rows`
    Index column = 0;  // encoded
    double variance = 0;
    bool held = false;  // within the clip, and not missing
  };
  std::vector<Index> rows;  // those that have some, ascending
  std::vector<Cell> cells;  // row by row

  bool any() const { return !cells.empty(); }
  void Clear() {
    rows.clear();
    cells.clear();
  }
  void Add(Index row, Index column, double variance, bool held) {
    if (rows.empty() || rows.back() != row) rows.push_back(row);
    cells.push_back({static_cast<Index>(rows.size()) - 1, column, variance, held});
  }
};

}  // namespace prequel
