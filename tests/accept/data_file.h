// Data files as the service sees them: CSV, through the client's reader and the wire's conversion.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/batch.h"
#include "core/config/learner_config.h"

namespace prequel::accept {

// $PREQUEL_DATA_DIR/`name`, when it exists.
std::optional<std::string> DataPath(const std::string& name);

// Features and target as `prequel create --from-csv` infers them, and every row as one batch.
struct DataFile {
  LearnerConfig config;
  Batch rows;
};

// Aborts with a message on a file that cannot be read: acceptance data are fixed.
// `likelihood` empty: inferred too.
DataFile ReadDataFile(const std::string& path, const std::string& target,
                      const std::string& likelihood);

// Rows [first, first + count) of `rows`.
Batch Slice(const Batch& rows, Index first, Index count);
Batch Pick(const Batch& rows, const std::vector<Index>& indices);

// `visit` sees `rows` in order, `size` at a time; the last time there may be fewer.
template <class Visitor>
void ForEachMinibatch(const Batch& rows, Index size, const Visitor& visit) {
  for (Index first = 0; first < rows.rows(); first += size) {
    visit(Slice(rows, first, std::min(size, rows.rows() - first)));
  }
}

// A permutation of 0..n−1 that is a function of the seed.
std::vector<Index> Shuffled(Index n, std::uint64_t seed);

// Rows to learn from, and others to be asked about.
struct Division {
  Batch train, test;
};
// The first four fifths of `rows`, in a random order, and the rest: for settings to be chosen by.
Division HoldOut(const Batch& rows);

}  // namespace prequel::accept
