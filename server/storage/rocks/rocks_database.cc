#include "server/storage/rocks/rocks_database.h"

#include <rocksdb/env.h>

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "server/storage/rocks/rocks_tuning.h"

namespace prequel {
namespace {

// Creates the directory, and proves that files can be created in it.
absl::Status PrepareDirectory(const std::string& directory, rocksdb::Env* env) {
  if (directory.empty()) return absl::InvalidArgumentError("no data directory is given");
  std::error_code error;
  std::filesystem::create_directory(directory, error);
  if (error) {
    return absl::PermissionDeniedError(
        absl::StrCat("cannot create data directory ", directory, ": ", error.message()));
  }
  const std::string probe = absl::StrCat(directory, "/writable");
  const rocksdb::Status status = rocksdb::WriteStringToFile(env, "", probe, false);
  if (status.IsNoSpace()) return WriteError(status);
  if (!status.ok()) {
    return absl::PermissionDeniedError(
        absl::StrCat("data directory ", directory, " is not writable: ", status.ToString()));
  }
  (void)env->DeleteFile(probe);
  return absl::OkStatus();
}

// Without CURRENT a directory is a new one to RocksDB, which then deletes every file that it finds.
// OK where nothing can be lost by that: a server that was killed at its very first start leaves no
// more than a MANIFEST.
absl::Status CheckCurrent(const RocksOptions& options, rocksdb::Env& env) {
  if (env.FileExists(options.directory + "/CURRENT").ok()) return absl::OkStatus();
  std::vector<std::string> names;
  (void)env.GetChildren(options.directory, &names);  // there may be none
  for (const std::string& name : names) {
    std::uint64_t size = 0;
    const bool holds_writes = name.ends_with(".log") &&
                              env.GetFileSize(options.directory + "/" + name, &size).ok() &&
                              size > 0;
    if (!holds_writes && !name.ends_with(".sst") && !name.ends_with(".blob") &&
        name != "acknowledged") {
      continue;
    }
    return absl::DataLossError(absl::StrCat(
        "data directory ", options.directory, " has lost its file CURRENT, and still has ", name,
        ": it is left as it is; put the file back, restore a backup, or let prequel-log salvage "
        "copy what is sound into a new directory"));
  }
  if (options.create && !options.read_only) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat("there is no store in ", options.directory));
}

absl::Status CheckFinished(const RocksOptions& options, rocksdb::Env& env) {
  if (options.unfinished || !env.FileExists(options.directory + "/" + kUnfinishedFile).ok()) {
    return absl::OkStatus();
  }
  return absl::FailedPreconditionError(
      absl::StrCat(options.directory,
                   " is what a salvage left that did not come to its end: "
                   "delete it, and salvage again"));
}

// Families are in the order of their ids.
std::vector<rocksdb::ColumnFamilyDescriptor> Families() {
  return {{rocksdb::kDefaultColumnFamilyName, SmallFamilyOptions()},
          {"models", SmallFamilyOptions()},
          {"log", LogFamilyOptions()},
          {"snapshots", SnapshotFamilyOptions()}};
}

}  // namespace

absl::Status WriteError(const rocksdb::Status& status) {
  if (status.IsNoSpace()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("the disk that holds the store is full: ", status.ToString()));
  }
  return absl::UnknownError(absl::StrCat("writing the store failed: ", status.ToString()));
}

absl::Status ReadError(const rocksdb::Status& status) {
  if (status.ok()) return absl::OkStatus();
  if (status.IsCorruption()) return absl::DataLossError(status.ToString());
  return absl::UnavailableError(absl::StrCat("reading the store failed: ", status.ToString()));
}

absl::Status OpenError(const rocksdb::Status& status, const std::string& directory,
                       rocksdb::Env& env) {
  const std::string text = status.ToString();
  if (text.find("lock") != std::string::npos && status.IsIOError()) {
    return absl::FailedPreconditionError(
        absl::StrCat("data directory ", directory, " is in use by another server: ", text));
  }
  const std::string message = absl::StrCat("cannot open data directory ", directory, ": ", text);
  const bool file_lost = status.IsPathNotFound() && env.FileExists(directory + "/CURRENT").ok();
  if (status.IsCorruption() || file_lost) return absl::DataLossError(message);
  if (status.IsNoSpace()) return absl::ResourceExhaustedError(message);
  if (status.IsInvalidArgument()) return absl::FailedPreconditionError(message);
  return absl::UnavailableError(message);
}

absl::StatusOr<std::unique_ptr<RocksDatabase>> RocksDatabase::Open(const RocksOptions& options) {
  rocksdb::Env* env = options.env != nullptr ? options.env : rocksdb::Env::Default();
  if (absl::Status finished = CheckFinished(options, *env); !finished.ok()) return finished;
  if (absl::Status current = CheckCurrent(options, *env); !current.ok()) return current;
  if (!options.read_only) {
    const absl::Status prepared = PrepareDirectory(options.directory, env);
    if (!prepared.ok()) return prepared;
  }
  rocksdb::DBOptions open = DatabaseOptions(env, options.read_only ? "" : options.directory);
  open.max_open_files = options.max_open_files;
  if (options.read_only) return OpenToRead(open, options.directory);
  std::unique_ptr<RocksDatabase> database(new RocksDatabase());
  open.listeners.push_back(database->failures_);
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::Open(open, options.directory, Families(), &database->families_, &db);
  if (!status.ok()) return OpenError(status, options.directory, *env);
  database->db_.reset(db);
  database->sync_ = options.sync;
  return database;
}

absl::StatusOr<std::unique_ptr<RocksDatabase>> RocksDatabase::OpenToRead(
    const rocksdb::DBOptions& options, const std::string& directory) {
  std::unique_ptr<RocksDatabase> database(new RocksDatabase());
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      rocksdb::DB::OpenForReadOnly(options, directory, Families(), &database->families_, &db);
  if (!status.ok()) return OpenError(status, directory, *options.env);
  database->db_.reset(db);
  return database;
}

RocksDatabase::~RocksDatabase() {
  if (db_ == nullptr) return;
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    (void)db_->DestroyColumnFamilyHandle(family);
  }
  (void)db_->Close();
}

}  // namespace prequel
