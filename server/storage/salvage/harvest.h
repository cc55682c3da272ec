// What can still be read of a data directory that may not open any more. Internal to the folder.
#pragma once

#include <rocksdb/db.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/rocks/rocks_database.h"

namespace prequel {

// Whether there is any file that Harvest reads.
bool HoldsStore(const std::string& directory);

// Puts every key and value of the files in `from` that carry a right checksum into `to`, an empty
// database. Returns the files that could not be read whole, each with why. Nothing in `from`
// changes, and nobody else may change it meanwhile. `scratch`: a folder that does not exist; it is
// gone again afterwards.
absl::StatusOr<std::vector<std::string>> Harvest(const std::string& from,
                                                 const std::string& scratch, RocksDatabase& to);

}  // namespace prequel
