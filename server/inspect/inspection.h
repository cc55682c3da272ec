// Looks a data directory over without serving it: what it holds, whether it can be read, and
// whether its snapshots are what its logs lead to.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "server/engine/codec.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// What was found of one model.
struct Inspection {
  std::string model;
  std::uint64_t first_offset = 0, next_offset = 0;  // of the log's records
  std::int64_t revision = -1;                       // that they lead to; -1: not folded
  std::int64_t snapshots = 0;
  std::vector<std::string> problems;  // each names what and where
};

class Inspector {
 public:
  // All of it outlives this.
  Inspector(const Log& log, const SnapshotStore& snapshots, const Codec& codec)
      : log_(log), snapshots_(snapshots), codec_(codec) {}

  // Every byte of the model: its record, its snapshots, its log's records, each decoded and
  // checked, without a gap and as far as the newest snapshot.
  Inspection Check(const StoredModel& model) const;

  // Check, and then the fold from the log's beginning, or from the oldest good snapshot, compared
  // bit for bit with every later snapshot.
  Inspection Replay(const StoredModel& model) const;

 private:
  struct Found;
  Found Look(const StoredModel& model) const;

  const Log& log_;
  const SnapshotStore& snapshots_;
  const Codec& codec_;
};

}  // namespace prequel
