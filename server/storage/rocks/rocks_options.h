// The directory that a store is in, and how it is opened.
#pragma once

#include <string>

namespace rocksdb {
class Env;
}

namespace prequel {

// A file in a directory into which something is being salvaged; gone once that is done.
inline constexpr char kUnfinishedFile[] = "salvage-unfinished";

// The most tables that RocksDB keeps open.
inline constexpr int kMostOpenFiles = 512;

struct RocksOptions {
  std::string directory;  // created if missing; its parent must exist
  int max_open_files = kMostOpenFiles;
  bool create = true;  // off: NOT_FOUND when there is no store in it
  // Off, an append is durable only against a crash of the process, not of the machine: for
  // measurement.
  bool sync = true;
  // Nothing on disk changes, and no lock is taken: for a directory that no server has open. Writes
  // fail.
  bool read_only = false;
  // Off: FAILED_PRECONDITION for a directory that a salvage did not bring to its end.
  bool unfinished = false;
  // The file that says how much has been acknowledged may be missing or damaged: it is made anew,
  // from what is there.
  bool renew_marks = false;
  rocksdb::Env* env = nullptr;  // not owned; null: the real file system
};

}  // namespace prequel
