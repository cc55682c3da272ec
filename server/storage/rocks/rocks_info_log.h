// What RocksDB says of itself. Internal to the folder.
#pragma once

#include <rocksdb/env.h>

#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <string>

#include "server/sync/mutex.h"

namespace prequel {

// RocksDB's own writer of that log ends the process when a line is written after one that found the
// disk full (an assertion, in builds that have them). This one drops what it cannot write.
// Thread-safe.
class RocksInfoLog final : public rocksdb::Logger {
 public:
  // Writes DIRECTORY/LOG, and keeps the one before as LOG.old; neither grows beyond some megabytes.
  explicit RocksInfoLog(const std::string& directory);
  // Writes nothing.
  RocksInfoLog() = default;

  using rocksdb::Logger::Logv;
  void Logv(const char* format, va_list arguments) override;

 private:
  struct Closed {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void Begin() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);

  const std::string path_;  // empty: none
  Mutex mu_;
  std::unique_ptr<std::FILE, Closed> file_ ABSL_GUARDED_BY(mu_);
  std::size_t bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace prequel
