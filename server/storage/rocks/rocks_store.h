// The store on one machine's disk: one RocksDB per data directory.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "server/storage/rocks/rocks_options.h"
#include "server/storage/store.h"

namespace prequel {

class RocksStore final : public Store {
 public:
  // FAILED_PRECONDITION: open in another process, or written by a newer version.
  // PERMISSION_DENIED: not writable. DATA_LOSS: the database itself is damaged.
  static absl::StatusOr<std::unique_ptr<RocksStore>> Open(const RocksOptions& options);
  ~RocksStore() override;

  Catalogue& catalogue() override;
  Log& log() override;
  SnapshotStore& snapshots() override;
  absl::Status health() const override;
  absl::Status Recover() override;

 private:
  struct Parts;
  explicit RocksStore(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace prequel
