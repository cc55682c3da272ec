#include "server/storage/salvage/salvage_files.h"

#include <rocksdb/env.h>
#include <rocksdb/write_batch.h>

#include <filesystem>
#include <memory>
#include <set>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/rocks/rocks_database.h"
#include "server/storage/rocks/rocks_marks.h"
#include "server/storage/salvage/harvest.h"
#include "server/storage/salvage/source_lock.h"
#include "server/storage/snapshot_record.h"

namespace prequel {
namespace {

namespace fs = std::filesystem;

absl::StatusOr<std::vector<StoredModel>> ModelsIn(const RocksDatabase& database) {
  std::vector<StoredModel> models;
  const std::unique_ptr<rocksdb::Iterator> it(database.db().NewIterator({}, database.models()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    absl::StatusOr<StoredModel> model = DecodeModel(ToView(it->key()), ToView(it->value()));
    if (model.ok()) models.push_back(*std::move(model));
  }
  if (!it->status().ok()) return ReadError(it->status());
  return models;
}

// What is between the ids of models that are kept belongs to nobody.
void DeleteOrphans(const RocksDatabase& database, const std::vector<StoredModel>& kept,
                   rocksdb::WriteBatch& batch) {
  std::set<LogId> logs;
  std::set<ModelId> ids;
  for (const StoredModel& model : kept) {
    logs.insert(model.log);
    ids.insert(model.id);
  }
  std::string from = LogKey(LogId{0}, 0);
  for (const LogId log : logs) {
    batch.DeleteRange(database.log(), from, LogKey(log, 0));
    from = LogKeysEnd(log);
  }
  batch.DeleteRange(database.log(), from, std::string(16, '\xff'));
  from = SnapshotKey(ModelId{0}, 0);
  for (const ModelId id : ids) {
    batch.DeleteRange(database.snapshots(), from, SnapshotKey(id, 0));
    from = SnapshotKeysEnd(id);
  }
  batch.DeleteRange(database.snapshots(), from, std::string(16, '\xff'));
}

// Models that had been deleted may have been found again: those that have no mark go, and of two
// under one name the older.
absl::Status LeaveOut(const RocksDatabase& database, const RocksMarks& marks,
                      std::vector<std::string>& left_out) {
  absl::StatusOr<std::vector<StoredModel>> models = ModelsIn(database);
  if (!models.ok()) return models.status();
  const bool all_known = marks.loaded() && marks.damaged() == 0;
  std::vector<StoredModel> kept;
  rocksdb::WriteBatch batch;
  for (std::size_t i = 0; i < models->size(); ++i) {
    StoredModel& model = (*models)[i];
    const bool again = i + 1 < models->size() && (*models)[i + 1].name == model.name;
    const bool wanted = !all_known || marks.Knows(model.log);
    if (!again && wanted && !marks.IsDeleted(model.log)) {
      kept.push_back(std::move(model));
      continue;
    }
    left_out.push_back(model.name);
    batch.Delete(database.models(), ModelKey(model));
  }
  DeleteOrphans(database, kept, batch);
  const rocksdb::Status written = database.db().Write({}, &batch);
  return written.ok() ? absl::OkStatus() : WriteError(written);
}

absl::Status CheckDirectories(const std::string& from, const std::string& to) {
  std::error_code error;
  if (!fs::is_directory(from, error)) {
    return absl::FailedPreconditionError(absl::StrCat(from, " is no directory"));
  }
  if (!HoldsStore(from)) {
    return absl::FailedPreconditionError(absl::StrCat("there is no file of a store in ", from));
  }
  if (fs::exists(to + "/" + kUnfinishedFile, error)) {
    return absl::FailedPreconditionError(absl::StrCat(
        to, " is what an earlier salvage left that did not come to its end: delete it"));
  }
  if (fs::exists(to, error) && !fs::is_empty(to, error)) {
    return absl::FailedPreconditionError(absl::StrCat(to, " is there, and is not empty"));
  }
  return absl::OkStatus();
}

rocksdb::Status SyncDirectory(rocksdb::Env& env, const std::string& path) {
  std::unique_ptr<rocksdb::Directory> directory;
  rocksdb::Status status = env.NewDirectory(path, &directory);
  return status.ok() ? directory->Fsync() : status;
}

// Begin marks `to` as unfinished: from here on nothing takes the directory for a whole one.
absl::Status Begin(rocksdb::Env& env, const std::string& to) {
  std::error_code error;
  fs::create_directory(to, error);
  if (error) {
    return absl::PermissionDeniedError(absl::StrCat("cannot create ", to, ": ", error.message()));
  }
  // The permissions are those of the server's directories. A directory of somebody else's keeps its
  // own.
  fs::permissions(to, fs::perms::owner_all, error);
  rocksdb::Status status =
      rocksdb::WriteStringToFile(&env, "", to + "/" + kUnfinishedFile, /*sync=*/true);
  if (status.ok()) status = SyncDirectory(env, to);
  return status.ok() ? absl::OkStatus() : WriteError(status);
}

}  // namespace

absl::StatusOr<Salvaged> SalvageFiles(const std::string& from, const std::string& to) {
  rocksdb::Env& env = *rocksdb::Env::Default();
  absl::Status status = CheckDirectories(from, to);
  if (!status.ok()) return status;
  const auto lock = SourceLock::Take(env, from);
  if (!lock.ok()) return lock.status();
  status = Begin(env, to);
  if (!status.ok()) return status;
  const auto database = RocksDatabase::Open({.directory = to, .unfinished = true});
  if (!database.ok()) return database.status();
  Salvaged salvaged;
  absl::StatusOr<std::vector<std::string>> damaged = Harvest(from, to + "/harvest", **database);
  if (!damaged.ok()) return damaged.status();
  salvaged.damaged = *std::move(damaged);
  std::error_code error;
  fs::copy_file(from + "/acknowledged", to + "/acknowledged", error);
  RocksMarks marks(env, to, /*keep=*/true);
  const absl::Status loaded = marks.Load();
  if (!loaded.ok()) {
    salvaged.damaged.push_back(
        absl::StrCat("acknowledged: ", error ? error.message() : std::string(loaded.message())));
  } else if (marks.damaged() > 0) {
    salvaged.damaged.push_back(absl::StrCat("acknowledged: ", marks.damaged(), " damaged slots"));
  }
  status = LeaveOut(**database, marks, salvaged.left_out);
  if (!status.ok()) return status;
  return salvaged;
}

absl::Status FinishSalvage(const std::string& to) {
  rocksdb::Env& env = *rocksdb::Env::Default();
  rocksdb::Status status = env.DeleteFile(to + "/" + kUnfinishedFile);
  if (status.ok()) status = SyncDirectory(env, to);
  return status.ok() ? absl::OkStatus() : WriteError(status);
}

}  // namespace prequel
