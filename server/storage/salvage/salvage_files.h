// A new data directory of what can still be read of one that may not open any more.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace prequel {

struct Salvaged {
  std::vector<std::string> damaged;   // files that could not be read whole, each with why
  std::vector<std::string> left_out;  // models that had been deleted, or were never acknowledged
};

// Copies into `to`, which must not exist or be empty, what is sound in the files of `from`, which
// stays as it is: models, records and snapshots one by one, whether or not they lead to one
// another. A RocksStore opens `to`, as `unfinished` until FinishSalvage. FAILED_PRECONDITION: a
// server has `from` open, it holds no store, or `to` is not empty; then `to` is left as it was.
absl::StatusOr<Salvaged> SalvageFiles(const std::string& from, const std::string& to);

// After FinishSalvage `to` may serve. No store may have it open.
absl::Status FinishSalvage(const std::string& to);

}  // namespace prequel
