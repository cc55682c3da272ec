#include "server/storage/salvage/harvest.h"

#include <rocksdb/env.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "server/storage/bytes.h"
#include "server/storage/model_record.h"
#include "server/storage/rocks/rocks_tuning.h"
#include "server/storage/salvage/blob_scan.h"

namespace prequel {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kIdBytes = 8;

// A Sink puts what carries a right checksum into the database.
class Sink {
 public:
  explicit Sink(RocksDatabase& to) : to_(to) {}

  void Take(rocksdb::ColumnFamilyHandle* family, std::string_view key, std::string_view value) {
    if (!HasCrc(key, value)) return;
    NoteIds(family, key);
    (void)batch_.Put(family, ToSlice(key), ToSlice(value));
    if (batch_.GetDataSize() >= kBatchBytes) Write();
  }

  // Everything is in files, and ids that were found are not given again.
  rocksdb::Status Finish() {
    (void)batch_.Put(to_.meta(), ToSlice(kFormatKey), EncodeFormat());
    (void)batch_.Put(to_.meta(), ToSlice(kNextIdKey), EncodeNextId(max_id_ + 1));
    Write();
    if (!status_.ok()) return status_;
    return to_.db().Flush(rocksdb::FlushOptions(), to_.families());
  }

 private:
  static constexpr std::size_t kBatchBytes = std::size_t{4} << 20;

  void NoteIds(const rocksdb::ColumnFamilyHandle* family, std::string_view key) {
    if (family == to_.meta() || key.size() < kIdBytes) return;
    const bool is_model = family == to_.models();  // its ids come last
    const std::size_t at = is_model ? key.size() - kIdBytes : 0;
    max_id_ = std::max(max_id_, ReadBigEndian(key.substr(at, kIdBytes)));
  }

  void Write() {
    rocksdb::WriteOptions options;
    options.disableWAL = true;
    if (status_.ok()) status_ = to_.db().Write(options, &batch_);
    batch_.Clear();
  }

  RocksDatabase& to_;
  rocksdb::WriteBatch batch_;
  rocksdb::Status status_;
  std::uint64_t max_id_ = 0;
};

// Keys, in their order, behind which the next readable block may begin, when the one behind `last`
// cannot be read. Ids and offsets: a little further in the same log, then in the next ones.
std::vector<std::string> ProbesBehind(std::string_view last, bool names) {
  std::vector<std::string> probes;
  if (names) {
    for (std::size_t size = last.size(); size > 0; --size) {
      std::string probe(last.substr(0, size));
      if (++probe.back() != '\0') probes.push_back(std::move(probe));
    }
    if (last.empty()) {
      for (char first = 'a'; first <= 'z'; ++first) probes.emplace_back(1, first);
    }
    return probes;
  }
  constexpr std::uint64_t kIds = 64;
  constexpr int kDoublings = 24;
  const bool known = last.size() >= 2 * kIdBytes;
  const std::uint64_t id = known ? ReadBigEndian(last.substr(0, kIdBytes)) : 0;
  const std::uint64_t offset = known ? ReadBigEndian(last.substr(kIdBytes, kIdBytes)) : 0;
  for (std::uint64_t next = id; next < id + kIds; ++next) {
    for (int doubling = 0; doubling < kDoublings; ++doubling) {
      std::string probe;
      AppendBigEndian(next, kIdBytes, &probe);
      AppendBigEndian((next == id ? offset : 0) + (std::uint64_t{1} << doubling) - (next != id),
                      kIdBytes, &probe);
      probes.push_back(std::move(probe));
    }
  }
  return probes;
}

rocksdb::ColumnFamilyHandle* FamilyOf(const RocksDatabase& to, const std::string& name) {
  for (rocksdb::ColumnFamilyHandle* family : to.families()) {
    if (family->GetName() == name) return family;
  }
  return nullptr;
}

rocksdb::Status HarvestTable(const std::string& path, const RocksDatabase& to, Sink& sink) {
  rocksdb::Options options(DatabaseOptions(to.db().GetEnv(), ""), LogFamilyOptions());
  rocksdb::SstFileReader reader(options);
  if (rocksdb::Status status = reader.Open(path); !status.ok()) return status;
  rocksdb::ColumnFamilyHandle* const family =
      FamilyOf(to, reader.GetTableProperties()->column_family_name);
  if (family == nullptr) return rocksdb::Status::Corruption("it is of no family of ours");
  rocksdb::Status damage;
  std::string last;
  const std::unique_ptr<rocksdb::Iterator> it(reader.NewIterator({}));
  const auto take_all = [&] {
    for (; it->Valid(); it->Next()) {
      last = it->key().ToString();
      sink.Take(family, ToView(it->key()), ToView(it->value()));
    }
  };
  it->SeekToFirst();
  take_all();
  while (!it->status().ok()) {
    damage = it->status();
    for (const std::string& probe : ProbesBehind(last, family == to.models())) {
      it->Seek(probe);
      if (it->Valid() || it->status().ok()) break;
    }
    if (!it->Valid()) break;
    take_all();
  }
  return damage;
}

// The write-ahead logs of `from`, as if they were those of an empty database in `scratch`.
rocksdb::Status HarvestLogs(const std::vector<fs::path>& logs, const std::string& scratch,
                            Sink& sink, const RocksDatabase& to) {
  constexpr std::uint64_t kBeyondItsOwn = 1'000'000'000;
  rocksdb::DBOptions options = DatabaseOptions(to.db().GetEnv(), "");
  options.wal_recovery_mode = rocksdb::WALRecoveryMode::kSkipAnyCorruptedRecords;
  { const auto begun = RocksDatabase::Open({.directory = scratch}); }
  rocksdb::Status damage;
  for (const fs::path& log : logs) {
    const std::string number = std::to_string(kBeyondItsOwn + std::stoull(log.stem().string()));
    std::error_code error;
    fs::copy_file(log, fs::path(scratch) / (number + ".log"), error);
    if (error == std::errc::no_space_on_device) return rocksdb::Status::NoSpace(scratch);
    // Whatever of the log could be copied is read, and the other logs are.
    if (error) damage = rocksdb::Status::IOError(log.filename().string(), error.message());
  }
  const auto database = RocksDatabase::OpenToRead(options, scratch);
  if (!database.ok()) return rocksdb::Status::Corruption(std::string(database.status().message()));
  for (std::size_t i = 0; i < to.families().size(); ++i) {
    const std::unique_ptr<rocksdb::Iterator> it(
        (*database)->db().NewIterator({}, (*database)->families()[i]));
    for (it->SeekToFirst(); it->Valid(); it->Next()) {
      sink.Take(to.families()[i], ToView(it->key()), ToView(it->value()));
    }
    if (!it->status().ok()) return it->status();
  }
  return damage;
}

// FilesIn gives the numbered files with that extension in the order of their numbers.
std::vector<fs::path> FilesIn(const std::string& directory, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code ignored;  // where there are none, none can be read
  for (const auto& entry : fs::directory_iterator(directory, ignored)) {
    const std::string stem = entry.path().stem();
    const bool numbered =
        !stem.empty() && std::ranges::all_of(stem, [](char c) { return c >= '0' && c <= '9'; });
    if (numbered && stem.size() < 18 && entry.path().extension() == extension) {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files, {}, [](const fs::path& path) { return std::stoull(path.stem()); });
  return files;
}

}  // namespace

bool HoldsStore(const std::string& directory) {
  return std::ranges::any_of(std::array{".sst", ".blob", ".log"}, [&](const char* extension) {
    return !FilesIn(directory, extension).empty();
  });
}

absl::StatusOr<std::vector<std::string>> Harvest(const std::string& from,
                                                 const std::string& scratch, RocksDatabase& to) {
  rocksdb::Env& env = *to.db().GetEnv();
  std::vector<std::string> damaged;
  const auto note = [&](const std::string& file, const rocksdb::Status& status) {
    if (!status.ok()) damaged.push_back(absl::StrCat(file, ": ", status.ToString()));
  };
  Sink sink(to);
  for (const fs::path& table : FilesIn(from, ".sst")) {
    note(table.filename(), HarvestTable(table, to, sink));
  }
  for (const fs::path& file : FilesIn(from, ".blob")) {
    note(file.filename(),
         ScanBlobs(env, file,
                   [&](std::uint32_t family, std::string_view key, std::string_view value) {
                     if (family >= to.families().size()) return;
                     sink.Take(to.families()[family], key, value);
                   }));
  }
  const rocksdb::Status logs = HarvestLogs(FilesIn(from, ".log"), scratch, sink, to);
  note("the write-ahead log", logs);
  std::error_code ignored;
  fs::remove_all(scratch, ignored);
  if (logs.IsNoSpace()) return WriteError(logs);
  const rocksdb::Status finished = sink.Finish();
  if (!finished.ok()) return WriteError(finished);
  return damaged;
}

}  // namespace prequel
