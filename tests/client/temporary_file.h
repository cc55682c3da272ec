// A file for the time of one test.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace prequel::client {

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content = "") {
    const int fd = mkstemp(path_.data());
    if (fd >= 0) close(fd);
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() { unlink(path_.c_str()); }

  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/prequel_test_XXXXXX";
};

}  // namespace prequel::client
