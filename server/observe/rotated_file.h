// A file of lines that is begun anew when it has become long; some of the earlier ones are kept.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"

namespace prequel {

// Used by one thread.
class RotatedFile {
 public:
  // RenameFile is std::rename; tests have one that fails.
  using RenameFile = int (*)(const char* from, const char* to);

  // A file that would be longer than `max_bytes` is renamed to PATH.1, what was that to PATH.2, and
  // so on up to PATH.`kept`.
  RotatedFile(std::string path, std::int64_t max_bytes, int kept,
              RenameFile rename_file = std::rename)
      : path_(std::move(path)), max_bytes_(max_bytes), kept_(kept), rename_file_(rename_file) {}
  ~RotatedFile() { Close(); }
  RotatedFile(const RotatedFile&) = delete;
  RotatedFile& operator=(const RotatedFile&) = delete;

  // Open goes on where the file ends, or creates it, for its owner alone. UNAVAILABLE says why not.
  absl::Status Open();

  // Write writes the whole line or nothing of it. After an error the next line opens the file anew:
  // it may be another one by then.
  absl::Status Write(std::string_view line);

  // rotation() says why the file could not be renamed when it was too long for the last line. Until
  // it can be, it grows, and no earlier file is given up.
  const absl::Status& rotation() const { return rotation_; }

 private:
  void Close();
  absl::Status Rotate();
  absl::Status Rename() const;
  std::string Name(int number) const;  // 0: that of the file itself

  const std::string path_;
  const std::int64_t max_bytes_;
  const int kept_;
  const RenameFile rename_file_;
  int fd_ = -1;
  std::int64_t bytes_ = 0;
  absl::Status rotation_;
};

}  // namespace prequel
