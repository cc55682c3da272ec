// Data files as the service sees them: CSV, through the client's reader and the wire's conversion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/batch.h"
#include "core/config.h"

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

// A permutation of 0..n−1 that is a function of the seed.
std::vector<Index> Shuffled(Index n, std::uint64_t seed);

}  // namespace prequel::accept
