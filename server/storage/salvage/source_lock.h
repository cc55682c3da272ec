// Keeps servers out of a data directory while its files are read one by one. Internal to the
// folder.
#pragma once

#include <rocksdb/env.h>

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace prequel {

class SourceLock {
 public:
  // FAILED_PRECONDITION: a server has `directory` open. Where nothing may be written, as on a disk
  // that was mounted read-only, it is only made sure that none has.
  static absl::StatusOr<std::unique_ptr<SourceLock>> Take(rocksdb::Env& env,
                                                          const std::string& directory);
  ~SourceLock();
  SourceLock(const SourceLock&) = delete;
  SourceLock& operator=(const SourceLock&) = delete;

 private:
  SourceLock(rocksdb::Env& env, rocksdb::FileLock* lock) : env_(env), lock_(lock) {}

  rocksdb::Env& env_;
  rocksdb::FileLock* const lock_;  // null: nothing may be written
};

}  // namespace prequel
