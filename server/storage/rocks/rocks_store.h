// The store on one machine's disk: one RocksDB per data directory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/storage/rocks/rocks_options.h"
#include "server/storage/store.h"

namespace prequel {

class RocksStore final : public Store {
 public:
  // FAILED_PRECONDITION: open in another process, or written by a newer version.
  // PERMISSION_DENIED: not writable. DATA_LOSS: the database itself is damaged. A disk that is too
  // full to write to is no error: what is there can be read, and health() is RESOURCE_EXHAUSTED.
  static absl::StatusOr<std::unique_ptr<RocksStore>> Open(const RocksOptions& options);
  ~RocksStore() override;

  Catalogue& catalogue() override;
  Log& log() override;
  SnapshotStore& snapshots() override;
  absl::Status health() const override;
  absl::Status Recover() override;
  bool wants_reopening() const override;

  // CheckMarks is DATA_LOSS when it is not known of every model what has been acknowledged.
  absl::Status CheckMarks() const;

  // Every record of `log` before this offset has been acknowledged, as far as is known: 0 when
  // nothing is. A model whose log does not reach it has a `problem`.
  std::uint64_t AcknowledgedEnd(LogId log) const;

  // AcceptLoss: what there is of the model called `model`, or of all if empty, is all that there
  // will be. The rest of what was acknowledged is given up, and the next server goes on from here.
  absl::Status AcceptLoss(std::string_view model);

  // Keep deletes all of `model` except the records of its log in [begin, end) and its snapshots at
  // the next offsets `snapshots`. Nothing else may be using the store.
  absl::Status Keep(const StoredModel& model, std::uint64_t begin, std::uint64_t end,
                    std::span<const std::uint64_t> snapshots);

 private:
  struct Parts;
  static absl::StatusOr<std::unique_ptr<RocksStore>> OpenToWrite(const RocksOptions& options);
  static absl::StatusOr<std::unique_ptr<RocksStore>> OpenToRead(const RocksOptions& options);
  explicit RocksStore(std::unique_ptr<Parts> parts);
  const std::unique_ptr<Parts> parts_;
};

}  // namespace prequel
