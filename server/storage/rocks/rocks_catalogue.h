// The catalogue of models in a RocksDB. Internal to the folder.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "server/storage/catalogue.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_log.h"
#include "server/storage/rocks/rocks_marks.h"
#include "server/storage/rocks/rocks_snapshots.h"
#include "server/storage/rocks/rocks_write_gate.h"
#include "server/sync/mutex.h"

namespace prequel {

// A model comes and goes with its log and snapshots in one atomic write, since all are in one
// database.
class RocksCatalogue final : public Catalogue {
 public:
  RocksCatalogue(RocksDatabase& database, RocksWriteGate& gate, RocksMarks& marks, RocksLog& log,
                 RocksSnapshots& snapshots)
      : database_(database), gate_(gate), marks_(marks), log_(log), snapshots_(snapshots) {}

  // Reads the next id. To be called once, first.
  absl::Status Load();
  // ListPresent lists the models that there are, without those that are missing.
  absl::StatusOr<std::vector<StoredModel>> ListPresent() const;
  // AcceptLoss: what is there of the model called `name`, or of every one if empty, is all that
  // there will be.
  absl::Status AcceptLoss(std::string_view name);

  absl::StatusOr<std::vector<StoredModel>> ListModels() const override;
  absl::StatusOr<StoredModel> CreateModel(std::string_view name, std::string_view config,
                                          std::int64_t create_time_us,
                                          const FirstSnapshot* first) override;
  absl::Status DeleteModel(std::string_view name, ModelId id) override;

 private:
  // CheckEnd is DATA_LOSS when the model's log ends before what has been acknowledged, and no
  // snapshot holds the rest.
  absl::Status CheckEnd(const StoredModel& model) const;
  // Models that have been acknowledged and are not in the database.
  absl::StatusOr<std::vector<StoredModel>> ListMissing() const;
  // The model called `name`, read from its key alone; without a name when there is none.
  absl::StatusOr<StoredModel> FindModel(std::string_view name) const;
  absl::StatusOr<StoredModel> FindMissing(std::string_view name, ModelId id) const;
  // Writes the chunks of `first`, and puts the head into `batch`.
  absl::Status Begin(const StoredModel& model, const FirstSnapshot& first,
                     rocksdb::WriteBatch& batch);

  RocksDatabase& database_;
  RocksWriteGate& gate_;
  RocksMarks& marks_;
  RocksLog& log_;
  RocksSnapshots& snapshots_;
  Mutex mu_;  // one CreateModel or DeleteModel at a time; taken before those of the others
  std::uint64_t next_id_ ABSL_GUARDED_BY(mu_) = 1;
};

}  // namespace prequel
