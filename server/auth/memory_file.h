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

  // From now on the file holds `bytes`: whoever opens it sees all of the old or all of the new.
  absl::Status Replace(std::string_view bytes);

  // Of this process alone, for as long as this lives. REQUIRES: Replace has succeeded.
  std::string path() const;

 private:
  int fd_ = -1;
};

}  // namespace prequel
