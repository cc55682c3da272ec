// A file in memory that other code reads by its path.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace prequel {

class MemoryFile {
 public:
  MemoryFile() = default;
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  // Replace makes `bytes` the content of the file: whoever opens it sees all of the old or all of
  // the new.
  absl::Status Replace(std::string_view bytes);

  // The path works in this process alone, for as long as this object lives. REQUIRES: Replace has
  // succeeded.
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace prequel
