#include "server/storage/rocks/rocks_store.h"

#include <rocksdb/env.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/model_record.h"
#include "server/storage/rocks/rocks_catalogue.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_log.h"
#include "server/storage/rocks/rocks_snapshot_file.h"
#include "server/storage/rocks/rocks_snapshots.h"
#include "server/storage/rocks/rocks_write_gate.h"

namespace prequel {
namespace {

// Marks a new store, checks the format of an existing one, and takes one of format 1 to format 2:
// from here on there are records that a server of format 1 cannot read.
absl::Status PrepareFormat(RocksDatabase& database, RocksWriteGate& gate, bool read_only) {
  const auto get = [&database](std::string_view key, std::string* value) {
    return database.db().Get({}, database.meta(), ToSlice(key), value);
  };
  std::string value;
  rocksdb::Status status = get(kFormatKey, &value);
  std::uint64_t next_id = 1;
  if (!status.IsNotFound()) {
    if (!status.ok()) return ReadError(status);
    const absl::StatusOr<std::uint32_t> format = DecodeFormat(value);
    if (!format.ok()) return format.status();
    if (*format < 1 || *format > kStoreFormat) {
      return absl::FailedPreconditionError(absl::StrCat("the store has format ", *format,
                                                        "; this server reads 1 to ", kStoreFormat));
    }
    if (*format == kStoreFormat || read_only) return absl::OkStatus();
    status = get(kNextIdKeyV1, &value);
    if (!status.ok()) return ReadError(status);
    const absl::StatusOr<std::uint64_t> next = DecodeNextIdV1(value);
    if (!next.ok()) return next.status();
    next_id = *next;
  }
  rocksdb::WriteBatch batch;
  batch.Put(database.meta(), ToSlice(kFormatKey), EncodeFormat());
  batch.Put(database.meta(), ToSlice(kNextIdKey), EncodeNextId(next_id));
  batch.Delete(database.meta(), ToSlice(kNextIdKeyV1));
  return gate.Write(batch);
}

}  // namespace

struct RocksStore::Parts {
  explicit Parts(std::unique_ptr<RocksDatabase> opened)
      : database(std::move(opened)),
        gate(*database),
        log(*database, gate),
        snapshots(*database, gate),
        catalogue(*database, gate, log, snapshots) {}

  const std::unique_ptr<RocksDatabase> database;
  RocksWriteGate gate;
  RocksLog log;
  RocksSnapshots snapshots;
  RocksCatalogue catalogue;
};

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::Open(const RocksOptions& options) {
  absl::StatusOr<std::unique_ptr<RocksDatabase>> database = RocksDatabase::Open(options);
  if (!database.ok()) return database.status();
  auto parts = std::make_unique<Parts>(*std::move(database));
  absl::Status status = PrepareFormat(*parts->database, parts->gate, options.read_only);
  if (status.ok()) status = parts->catalogue.Load();
  if (!status.ok()) return status;
  if (!options.read_only) {
    rocksdb::Env& env = *parts->database->db().GetEnv();
    RocksSnapshotFile::RemoveAll(env, options.directory);
    const rocksdb::Status primed = parts->gate.Prime();
    if (!primed.ok()) return OpenError(primed, options.directory, env);
  }
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(parts)));
}

RocksStore::RocksStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RocksStore::~RocksStore() = default;

Catalogue& RocksStore::catalogue() { return parts_->catalogue; }
Log& RocksStore::log() { return parts_->log; }
SnapshotStore& RocksStore::snapshots() { return parts_->snapshots; }
absl::Status RocksStore::health() const { return parts_->gate.health(); }
absl::Status RocksStore::Recover() { return parts_->gate.Recover(); }

}  // namespace prequel
