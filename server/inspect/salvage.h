// What a server can fold of models whose store has lost some of what it held.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/engine/codec.h"
#include "server/storage/catalogue.h"
#include "server/storage/rocks/rocks_store.h"

namespace prequel {

// What has become of one model.
struct SalvagedModel {
  std::string model;
  absl::Status problem;              // why nothing of it could be saved
  std::int64_t revision = 0;         // that is left
  std::uint64_t begin = 0, end = 0;  // of the log's records that are left
  std::int64_t snapshots = 0;        // that are left
  std::uint64_t acknowledged = 0;    // the offset that the log had reached; 0: not known
  std::vector<std::string> damage;   // what could not be read of it, each with why
};

// Reduces `store`, of SalvageFiles, to what a server can fold, and reports on every model, by name.
// The store is then sound.
absl::StatusOr<std::vector<SalvagedModel>> SalvageModels(RocksStore& store, const Codec& codec);

}  // namespace prequel
