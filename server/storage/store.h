// Everything that a server keeps on one machine's disk: the models that it hosts, their logs and
// their snapshots, as opaque bytes. Whoever uses one of the three is given that one only.
#pragma once

#include "absl/status/status.h"
#include "server/storage/catalogue.h"
#include "server/storage/log.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// Thread-safe. One process at a time may have a store open.
class Store {
 public:
  virtual ~Store() = default;

  // The three parts live as long as the store.
  virtual Catalogue& catalogue() = 0;
  virtual Log& log() = 0;
  virtual SnapshotStore& snapshots() = 0;

  // health() is OK while writes are accepted; else the error since which they are refused.
  virtual absl::Status health() const = 0;

  // Recover lets writes in again once the disk that was full (health() is RESOURCE_EXHAUSTED) has
  // room. What had failed is then certain not to be in the store, nor after any crash. Returns
  // health(), and why it is no better: what was under way when the disk was full may fail yet, and
  // another attempt is to be made. Blocks for as long as what is in memory takes to write.
  virtual absl::Status Recover() = 0;

  // Whether the store was opened on a full disk, and is to be opened anew, now that Recover has
  // found room: until then it can only be read.
  virtual bool wants_reopening() const { return false; }
};

// WritesRefused is what a write is refused with once an earlier one has failed with `first`.
absl::Status WritesRefused(const absl::Status& first);

}  // namespace prequel
