// A file system that fails on demand.
#pragma once

#include <rocksdb/env.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>

namespace prequel {

class FailingEnv final : public rocksdb::EnvWrapper {
 public:
  enum class Room {
    kEnough,
    kNone,         // nothing is written
    kNoneAfterIt,  // what did not fit is there all the same
  };

  FailingEnv() : EnvWrapper(rocksdb::Env::Default()) {}

  std::atomic<Room> room = Room::kEnough;  // of what is appended to any file
  std::atomic<int> appends_left = -1;      // until it is kNone; negative: any number
  std::atomic<bool> sync_fails = false;    // of write-ahead logs
  std::atomic<int> tables = 0;             // that are written and closed

  rocksdb::Status NewWritableFile(const std::string& name,
                                  std::unique_ptr<rocksdb::WritableFile>* file,
                                  const rocksdb::EnvOptions& options) override {
    rocksdb::Status status = target()->NewWritableFile(name, file, options);
    if (status.ok()) {
      *file = std::make_unique<File>(std::move(*file), this, name);
    }
    return status;
  }

  rocksdb::Status GetFreeSpace(const std::string& path, std::uint64_t* free) override {
    if (room == Room::kEnough) return target()->GetFreeSpace(path, free);
    *free = 0;
    return rocksdb::Status::OK();
  }

  // RocksDB looks every five seconds whether a full disk has room: not while tests wait. It waits
  // until a moment by the true clock, which it reckons from this one.
  std::uint64_t NowMicros() override {
    constexpr std::uint64_t kBehind = 4'990'000;
    return target()->NowMicros() - kBehind;
  }

  // And rests for a second after each flush that fails.
  void SleepForMicroseconds(int micros) override {
    target()->SleepForMicroseconds(std::min(micros, 1000));
  }

 private:
  class File final : public rocksdb::WritableFileWrapper {
   public:
    File(std::unique_ptr<rocksdb::WritableFile> file, FailingEnv* env, const std::string& name)
        : WritableFileWrapper(file.get()),
          file_(std::move(file)),
          env_(env),
          is_log_(name.ends_with(".log")),
          is_table_(name.ends_with(".sst")) {}

    rocksdb::Status Append(const rocksdb::Slice& data) override {
      if (env_->appends_left == 0) env_->room = Room::kNone;
      if (env_->appends_left >= 0) --env_->appends_left;
      const Room now = env_->room;
      if (now != Room::kNone) {
        rocksdb::Status status = WritableFileWrapper::Append(data);
        if (now == Room::kEnough || !status.ok()) return status;
      }
      return rocksdb::Status::NoSpace("injected");
    }
    rocksdb::Status Append(const rocksdb::Slice& data,
                           const rocksdb::DataVerificationInfo&) override {
      return Append(data);
    }
    rocksdb::Status Close() override {
      rocksdb::Status status = WritableFileWrapper::Close();
      if (is_table_ && status.ok()) ++env_->tables;
      return status;
    }
    rocksdb::Status Sync() override {
      if (is_log_ && env_->sync_fails) return rocksdb::Status::IOError("injected");
      return WritableFileWrapper::Sync();
    }

   private:
    const std::unique_ptr<rocksdb::WritableFile> file_;
    FailingEnv* const env_;
    const bool is_log_;
    const bool is_table_;
  };
};

}  // namespace prequel
