#include "server/storage/rocks_store.h"

#include <rocksdb/env.h>
#include <rocksdb/experimental.h>
#include <rocksdb/table.h>

#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/storage/record.h"
#include "server/storage/rocks_database.h"
#include "server/storage/rocks_options.h"
#include "server/storage/snapshot_record.h"

namespace prequel {
namespace {

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
  if (!status.ok()) {
    return absl::PermissionDeniedError(
        absl::StrCat("data directory ", directory, " is not writable: ", status.ToString()));
  }
  (void)env->DeleteFile(probe);
  return absl::OkStatus();
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

// Several writers may be in RocksDB at once; the first failure shuts the door behind all of them.
absl::Status RocksStore::Database::Enter(absl::FunctionRef<rocksdb::Status()> write) {
  {
    MutexLock lock(mu);
    if (!health.ok()) return WritesRefused(health);
    ++writing;
  }
  const rocksdb::Status status = write();
  absl::Status result = status.ok() ? absl::OkStatus() : Fail(status);
  MutexLock lock(mu);
  --writing;
  return result;
}

absl::Status RocksStore::Database::Write(rocksdb::WriteBatch& batch) {
  return Enter([&] { return db->Write(write_options, &batch); });
}

absl::Status RocksStore::Database::Fail(const rocksdb::Status& status) {
  absl::Status error = WriteError(status);
  MutexLock lock(mu);
  // One that Recover can get over does not hide one that it cannot.
  if (health.ok() || absl::IsResourceExhausted(health)) health = error;
  return error;
}

// Checks the format of an existing store, or marks a new one.
absl::Status RocksStore::Database::LoadMeta() {
  std::string value;
  rocksdb::Status status = db->Get({}, meta(), ToSlice(kFormatKey), &value);
  if (status.IsNotFound()) {
    rocksdb::WriteBatch batch;
    batch.Put(meta(), ToSlice(kFormatKey), EncodeFormat());
    batch.Put(meta(), ToSlice(kNextLogIdKey), EncodeNextLogId(1));
    return Write(batch);
  }
  if (!status.ok()) return ReadError(status);
  const absl::StatusOr<std::uint32_t> format = DecodeFormat(value);
  if (!format.ok()) return format.status();
  if (*format != kStoreFormat) {
    return absl::FailedPreconditionError(
        absl::StrCat("the store has format ", *format, "; this server reads ", kStoreFormat));
  }
  status = db->Get({}, meta(), ToSlice(kNextLogIdKey), &value);
  if (!status.ok()) return ReadError(status);
  const absl::StatusOr<LogId> next = DecodeNextLogId(value);
  if (!next.ok()) return next.status();
  MutexLock lock(admin_mu);
  next_log_id = *next;
  return absl::OkStatus();
}

// The key of the model called `name`; empty when there is none.
absl::StatusOr<std::string> RocksStore::Database::FindModel(std::string_view name) const {
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator({}, models()));
  it->Seek(ModelKey(name, 0));
  if (!it->status().ok()) return ReadError(it->status());
  if (!it->Valid()) return std::string();
  const std::string prefix(std::string(name) + '\0');
  return it->key().starts_with(prefix) ? it->key().ToString() : std::string();
}

absl::StatusOr<std::unique_ptr<RocksStore>> RocksStore::Open(const RocksOptions& options) {
  rocksdb::Env* env = options.env != nullptr ? options.env : rocksdb::Env::Default();
  if (!options.read_only) {
    const absl::Status prepared = PrepareDirectory(options.directory, env);
    if (!prepared.ok()) return prepared;
  }
  const std::vector<rocksdb::ColumnFamilyDescriptor> families = {
      {rocksdb::kDefaultColumnFamilyName, SmallFamilyOptions()},
      {"models", SmallFamilyOptions()},
      {"log", LogFamilyOptions()},
      {"snapshots", SnapshotFamilyOptions()}};
  auto database = std::make_unique<Database>();
  rocksdb::DB* db = nullptr;
  const rocksdb::Status status =
      options.read_only ? rocksdb::DB::OpenForReadOnly(DatabaseOptions(env), options.directory,
                                                       families, &database->families, &db)
                        : rocksdb::DB::Open(DatabaseOptions(env), options.directory, families,
                                            &database->families, &db);
  if (!status.ok()) return OpenError(status, options.directory, *env);
  database->db.reset(db);
  database->write_options.sync = options.sync;
  if (absl::Status loaded = database->LoadMeta(); !loaded.ok()) return loaded;
  if (!options.read_only) {
    RocksSnapshotFile::RemoveAll(*env, options.directory);
    const rocksdb::Status primed = database->Prime();
    if (!primed.ok()) return OpenError(primed, options.directory, *env);
  }
  return std::unique_ptr<RocksStore>(new RocksStore(std::move(database)));
}

RocksStore::RocksStore(std::unique_ptr<Database> database) : database_(std::move(database)) {}
RocksStore::~RocksStore() = default;

absl::Status RocksStore::Append(std::span<const LogRecord> records) {
  constexpr std::size_t kOverhead = 64;  // per record: key, frame, lengths
  std::size_t bytes = 0;
  for (const LogRecord& record : records) bytes += record.payload.size() + kOverhead;
  rocksdb::WriteBatch batch(bytes);
  for (const LogRecord& record : records) {
    const RecordFrame frame = FrameRecord(record);
    const rocksdb::Slice key = frame.key;
    const std::array<rocksdb::Slice, 3> value = {frame.head, ToSlice(record.payload), frame.tail};
    const rocksdb::Status status =
        batch.Put(database_->log(), rocksdb::SliceParts(&key, 1),
                  rocksdb::SliceParts(value.data(), static_cast<int>(value.size())));
    if (!status.ok()) return database_->Fail(status);
  }
  return database_->Write(batch);
}

absl::StatusOr<std::uint64_t> RocksStore::FirstOffset(LogId log) const {
  const std::string end = LogKey(log + 1, 0);
  const rocksdb::Slice upper_bound = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  const std::unique_ptr<rocksdb::Iterator> it(
      database_->db->NewIterator(options, database_->log()));
  it->Seek(LogKey(log, 0));
  if (it->Valid()) return OffsetOf(ToView(it->key()));
  if (!it->status().ok()) return ReadError(it->status());
  return 0;
}

absl::Status RocksStore::Read(LogId log, std::uint64_t from, std::size_t limit,
                              absl::FunctionRef<absl::Status(const LogRecord&)> visit) const {
  const std::string end = LogKey(log + 1, 0);
  const rocksdb::Slice upper_bound = end;
  rocksdb::ReadOptions options;
  options.iterate_upper_bound = &upper_bound;
  options.fill_cache = false;  // a log is read once
  const std::unique_ptr<rocksdb::Iterator> it(
      database_->db->NewIterator(options, database_->log()));
  std::uint64_t offset = from;
  for (it->Seek(LogKey(log, from)); it->Valid() && offset - from < limit; it->Next(), ++offset) {
    if (ToView(it->key()) != LogKey(log, offset)) return RecordLost(log, offset, "missing");
    const absl::StatusOr<LogRecord> record = DecodeRecord(log, offset, ToView(it->value()));
    if (!record.ok()) return record.status();
    if (absl::Status status = visit(*record); !status.ok()) return status;
  }
  if (it->status().ok()) return absl::OkStatus();
  if (!it->status().IsCorruption()) return ReadError(it->status());
  return RecordLost(log, offset, it->status().ToString());
}

absl::StatusOr<std::vector<StoredModel>> RocksStore::ListModels() const {
  const std::unique_ptr<rocksdb::Iterator> it(database_->db->NewIterator({}, database_->models()));
  std::vector<StoredModel> models;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    absl::StatusOr<StoredModel> model = DecodeModel(ToView(it->key()), ToView(it->value()));
    if (!model.ok()) return model.status();
    models.push_back(*std::move(model));
  }
  if (!it->status().ok()) return ReadError(it->status());
  return models;
}

absl::StatusOr<StoredModel> RocksStore::CreateModel(std::string_view name, std::string_view config,
                                                    std::int64_t create_time_us,
                                                    const FirstSnapshot* first) {
  MutexLock lock(database_->admin_mu);
  const absl::StatusOr<std::string> existing = database_->FindModel(name);
  if (!existing.ok()) return existing.status();
  if (!existing->empty()) {
    return absl::AlreadyExistsError(absl::StrCat("model ", std::string(name), " exists"));
  }
  const StoredModel model{.name = std::string(name),
                          .log = database_->next_log_id,
                          .create_time_us = create_time_us,
                          .from_snapshot = first != nullptr,
                          .config = std::string(config)};
  rocksdb::WriteBatch batch;
  if (first != nullptr) {
    const absl::StatusOr<StoredSnapshot> head =
        WriteFirst(*this, model.log, create_time_us, *first);
    if (!head.ok()) {
      database_->Abandon(model.log);
      return head.status();
    }
    if (absl::Status kept = database_->KeepChunks(*head); !kept.ok()) return kept;
    batch.Put(database_->snapshots(), SnapshotKey(model.log, 0), EncodeSnapshotHead(*head));
  }
  batch.Put(database_->models(), ModelKey(name, model.log), EncodeModel(model));
  batch.Put(database_->meta(), ToSlice(kNextLogIdKey), EncodeNextLogId(model.log + 1));
  if (absl::Status status = database_->Write(batch); !status.ok()) return status;
  ++database_->next_log_id;
  return model;
}

absl::Status RocksStore::DeleteModel(std::string_view name, LogId log) {
  MutexLock lock(database_->admin_mu);
  const std::string key = ModelKey(name, log);
  const absl::StatusOr<std::string> existing = database_->FindModel(name);
  if (!existing.ok()) return existing.status();
  if (*existing != key) {
    return absl::NotFoundError(absl::StrCat("model ", std::string(name), " does not exist"));
  }
  const std::string begin = LogKey(log, 0), end = LogKey(log + 1, 0);
  rocksdb::WriteBatch batch;
  batch.Delete(database_->models(), key);
  batch.DeleteRange(database_->log(), begin, end);
  batch.DeleteRange(database_->snapshots(), begin, end);
  database_->Abandon(log);
  if (absl::Status status = database_->Write(batch); !status.ok()) return status;
  // Frees the space soon instead of whenever a compaction comes by; its failure loses nothing.
  const rocksdb::Slice first = begin, last = end;
  (void)rocksdb::experimental::SuggestCompactRange(database_->db.get(), database_->log(), &first,
                                                   &last);
  database_->DropFiles(begin, end);
  return absl::OkStatus();
}

absl::Status RocksStore::Database::Health() {
  MutexLock lock(mu);
  return health;
}

absl::Status RocksStore::health() const { return database_->Health(); }

}  // namespace prequel
