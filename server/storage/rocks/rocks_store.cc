#include "server/storage/rocks/rocks_store.h"

#include <rocksdb/env.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/rocks/rocks_catalogue.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_log.h"
#include "server/storage/rocks/rocks_marks.h"
#include "server/storage/rocks/rocks_snapshot_file.h"
#include "server/storage/rocks/rocks_snapshots.h"
#include "server/storage/rocks/rocks_write_gate.h"
#include "server/storage/snapshot_record.h"

namespace prequel {
namespace {

// Marks a new store, and checks the format of an existing one.
absl::Status PrepareFormat(RocksDatabase& database, RocksWriteGate& gate, bool read_only,
                           bool has_marks) {
  const auto get = [&database](std::string_view key, std::string* value) {
    return database.db().Get({}, database.meta(), ToSlice(key), value);
  };
  std::string value, next_id;
  const rocksdb::Status status = get(kFormatKey, &value);
  if (status.IsNotFound()) {
    if (read_only && has_marks) return absl::OkStatus();  // lost with the log
    rocksdb::WriteBatch batch;
    batch.Put(database.meta(), ToSlice(kFormatKey), EncodeFormat());
    batch.Put(database.meta(), ToSlice(kNextIdKey), EncodeNextId(1));
    return gate.Write(batch);
  }
  if (!status.ok()) return ReadError(status);
  const absl::StatusOr<std::uint32_t> format = DecodeFormat(value);
  if (!format.ok()) return format.status();
  if (*format == kStoreFormat && !get(kNextIdKey, &next_id).IsNotFound()) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "the store was made by another build, in a format that was never released (", *format,
      "): this server reads format ", kStoreFormat, " and wants a directory of its own"));
}

// Why the file of marks cannot be had; OK for a database that has none yet.
absl::Status LoadMarks(const RocksDatabase& database, RocksMarks& marks) {
  const absl::Status loaded = marks.Load();
  std::string value;
  const rocksdb::Status expected =
      database.db().Get({}, database.meta(), ToSlice(kMarksKey), &value);
  if (loaded.ok() || (absl::IsNotFound(loaded) && expected.IsNotFound())) return absl::OkStatus();
  return absl::DataLossError(
      absl::StrCat("what has been acknowledged is not known, so nobody can tell what may have been "
                   "lost: ",
                   loaded.message(), "; prequel-log accept-loss goes on from what is there"));
}

}  // namespace

struct RocksStore::Parts {
  Parts(std::unique_ptr<RocksDatabase> opened, const RocksOptions& options)
      : database(std::move(opened)),
        marks(*database->db().GetEnv(), options.directory, options.sync),
        gate(*database),
        log(*database, gate, marks),
        snapshots(*database, gate),
        catalogue(*database, gate, marks, log, snapshots) {}

  ~Parts() {
    if (lock != nullptr) (void)database->db().GetEnv()->UnlockFile(lock);
  }

  // Compares the marks with what is there, and begins to mark.
  absl::Status RenewMarks() {
    const absl::StatusOr<std::vector<StoredModel>> models = catalogue.ListPresent();
    if (!models.ok()) return models.status();
    std::vector<PresentModel> present;
    for (const StoredModel& model : *models) {
      // A log that cannot be read to its end keeps the mark that it has.
      present.push_back({model.name, model.id, model.log, log.StoredEnd(model.log).value_or(0)});
    }
    if (const rocksdb::Status renewed = marks.Renew(present); !renewed.ok()) {
      return WriteError(renewed);
    }
    if (!marks.keeps()) return absl::OkStatus();
    rocksdb::WriteBatch batch;
    batch.Put(database->meta(), ToSlice(kMarksKey), EncodeMarksKey());
    return gate.Write(batch);
  }

  const std::unique_ptr<RocksDatabase> database;
  RocksMarks marks;
  RocksWriteGate gate;
  RocksLog log;
  RocksSnapshots snapshots;
  RocksCatalogue catalogue;
  absl::Status marks_problem;
  rocksdb::FileLock* lock = nullptr;  // of a store that was opened full
  bool opened_full = false;
  std::atomic<bool> wants_reopening = false;
};

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::Open(const RocksOptions& options) {
  if (options.read_only) return OpenToRead(options);
  absl::StatusOr<std::unique_ptr<RocksStore>> store = OpenToWrite(options);
  if (!absl::IsResourceExhausted(store.status()) || options.renew_marks) return store;
  const std::string full(store.status().message());
  store = OpenToRead(options);
  if (!store.ok()) return store;
  Parts& parts = *(*store)->parts_;
  rocksdb::Env& env = *parts.database->db().GetEnv();
  const rocksdb::Status locked = env.LockFile(options.directory + "/LOCK", &parts.lock);
  if (!locked.ok()) return OpenError(locked, options.directory, env);
  parts.opened_full = true;
  parts.gate.Shut(rocksdb::Status::NoSpace(full));
  return store;
}

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::OpenToRead(const RocksOptions& options) {
  RocksOptions to_read = options;
  to_read.read_only = true;
  absl::StatusOr<std::unique_ptr<RocksDatabase>> database = RocksDatabase::Open(to_read);
  if (!database.ok()) return database.status();
  auto parts = std::make_unique<Parts>(*std::move(database), options);
  parts->marks_problem = LoadMarks(*parts->database, parts->marks);
  absl::Status status = PrepareFormat(*parts->database, parts->gate, true, parts->marks.loaded());
  if (status.ok()) status = parts->catalogue.Load();
  if (!status.ok()) return status;
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(parts)));
}

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::OpenToWrite(const RocksOptions& options) {
  absl::StatusOr<std::unique_ptr<RocksDatabase>> database = RocksDatabase::Open(options);
  if (!database.ok()) return database.status();
  auto parts = std::make_unique<Parts>(*std::move(database), options);
  parts->marks_problem = LoadMarks(*parts->database, parts->marks);
  if (!options.renew_marks && !parts->marks_problem.ok()) return parts->marks_problem;
  absl::Status status = PrepareFormat(*parts->database, parts->gate, false, parts->marks.loaded());
  if (status.ok()) status = parts->catalogue.Load();
  if (status.ok()) status = parts->RenewMarks();
  if (!status.ok()) return status;
  rocksdb::Env& env = *parts->database->db().GetEnv();
  RocksSnapshotFile::RemoveAll(env, options.directory);
  const rocksdb::Status primed = parts->gate.Prime();
  if (!primed.ok()) return OpenError(primed, options.directory, env);
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(parts)));
}

RocksStore::RocksStore(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
RocksStore::~RocksStore() = default;

Catalogue& RocksStore::catalogue() { return parts_->catalogue; }
Log& RocksStore::log() { return parts_->log; }
SnapshotStore& RocksStore::snapshots() { return parts_->snapshots; }
absl::Status RocksStore::health() const { return parts_->gate.health(); }

absl::Status RocksStore::Recover() {
  if (!parts_->opened_full) return parts_->gate.Recover();
  if (parts_->gate.HasRoom()) parts_->wants_reopening = true;
  return health();
}

bool RocksStore::wants_reopening() const { return parts_->wants_reopening; }

absl::Status RocksStore::CheckMarks() const {
  if (!parts_->marks_problem.ok()) return parts_->marks_problem;
  const int damaged = parts_->marks.damaged();
  if (damaged == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      damaged, " models have no mark of what has been acknowledged: its slot is damaged"));
}

std::uint64_t RocksStore::AcknowledgedEnd(LogId log) const { return parts_->marks.End(log); }

absl::Status RocksStore::Keep(const StoredModel& model, std::uint64_t begin, std::uint64_t end,
                              std::span<const std::uint64_t> snapshots) {
  const RocksDatabase& database = *parts_->database;
  rocksdb::WriteBatch batch;
  batch.DeleteRange(database.log(), LogKey(model.log, 0), LogKey(model.log, begin));
  batch.DeleteRange(database.log(), LogKey(model.log, end), LogKeysEnd(model.log));
  std::string from = SnapshotKey(model.id, 0);
  for (const std::uint64_t offset : snapshots) {
    batch.DeleteRange(database.snapshots(), from, SnapshotKey(model.id, offset));
    from = SnapshotKey(model.id, offset + 1);
  }
  batch.DeleteRange(database.snapshots(), from, SnapshotKeysEnd(model.id));
  return parts_->gate.Write(batch);
}

absl::Status RocksStore::AcceptLoss(std::string_view model) {
  return parts_->catalogue.AcceptLoss(model);
}

}  // namespace prequel
