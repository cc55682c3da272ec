// The two stores behind one face, so that one set of tests holds both to the contract.
#pragma once

#include <rocksdb/db.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "server/storage/log_record.h"
#include "server/storage/model_record.h"
#include "server/storage/rocks/rocks_store.h"
#include "server/storage/snapshot_record.h"
#include "tests/server/storage/memory_store.h"

namespace prequel {

// A directory that is gone with the object.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string pattern = (std::filesystem::temp_directory_path() / "prequel_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// What outlives a store: its disk, and ways to damage it while no store is open.
class TestDisk {
 public:
  virtual ~TestDisk() = default;
  virtual absl::StatusOr<std::unique_ptr<Store>> Open() = 0;
  virtual void CorruptRecord(LogId log, std::uint64_t offset) = 0;
  virtual void LoseRecord(LogId log, std::uint64_t offset) = 0;
  virtual void CorruptModel(const StoredModel& model) = 0;
  virtual void CorruptSnapshotChunk(ModelId model, std::uint64_t offset, std::uint32_t index) = 0;
};

class MemoryTestDisk final : public TestDisk {
 public:
  absl::StatusOr<std::unique_ptr<Store>> Open() override { return MemoryStore::Open(disk_); }
  void CorruptRecord(LogId log, std::uint64_t offset) override {
    disk_->CorruptRecord(log, offset);
  }
  void LoseRecord(LogId log, std::uint64_t offset) override { disk_->LoseRecord(log, offset); }
  void CorruptModel(const StoredModel& model) override { disk_->CorruptModel(model.name); }
  void CorruptSnapshotChunk(ModelId model, std::uint64_t offset, std::uint32_t index) override {
    disk_->CorruptSnapshotChunk(model, offset, index);
  }

 private:
  std::shared_ptr<MemoryDisk> disk_ = std::make_shared<MemoryDisk>();
};

class RocksTestDisk final : public TestDisk {
 public:
  absl::StatusOr<std::unique_ptr<Store>> Open() override {
    return RocksStore::Open({.directory = directory_.path()});
  }
  void CorruptRecord(LogId log, std::uint64_t offset) override { Flip(2, LogKey(log, offset)); }
  void LoseRecord(LogId log, std::uint64_t offset) override {
    Raw raw(directory_.path());
    raw.Check(raw.db->Delete({}, raw.families[2], LogKey(log, offset)));
  }
  void CorruptModel(const StoredModel& model) override { Flip(1, ModelKey(model)); }
  void CorruptSnapshotChunk(ModelId model, std::uint64_t offset, std::uint32_t index) override {
    Flip(3, SnapshotChunkKey(model, offset, index));
  }

 private:
  // The database as RocksDB sees it.
  struct Raw {
    explicit Raw(const std::string& path) {
      std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
      for (const char* name : {"default", "models", "log", "snapshots"})
        descriptors.push_back({name, {}});
      rocksdb::DB* opened = nullptr;
      Check(rocksdb::DB::Open({}, path, descriptors, &families, &opened));
      db.reset(opened);
    }
    ~Raw() {
      for (auto* family : families) Check(db->DestroyColumnFamilyHandle(family));
    }
    static void Check(const rocksdb::Status& status) {
      if (!status.ok()) std::abort();
    }
    std::vector<rocksdb::ColumnFamilyHandle*> families;
    std::unique_ptr<rocksdb::DB> db;
  };

  void Flip(std::size_t family, const std::string& key) {
    Raw raw(directory_.path());
    std::string value;
    Raw::Check(raw.db->Get({}, raw.families[family], key, &value));
    value[value.size() / 2] ^= 1;
    Raw::Check(raw.db->Put({}, raw.families[family], key, value));
  }

  TemporaryDirectory directory_;
};

// Of a typed test over both.
class DiskNames {
 public:
  template <class T>
  static std::string GetName(int) {
    return std::is_same_v<T, MemoryTestDisk> ? "Memory" : "Rocks";
  }
};

}  // namespace prequel
