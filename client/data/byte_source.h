// The bytes of a file or of the standard input, unpacked when they are gzip.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace prequel::client {

// zlib's own gzread waits until its buffer is full, which for rows that trickle out of a pipe is
// forever; this reads what there is. For one thread.
class ByteSource {
 public:
  // `path` "-" is the standard input. NOT_FOUND when it cannot be opened.
  static absl::StatusOr<std::unique_ptr<ByteSource>> Open(const std::string& path);
  ~ByteSource();

  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // Waits for at least one byte, then takes what is there, at most `size`; 0 at the end.
  // DATA_LOSS for an archive that is damaged or cut short, ABORTED when a signal ended the wait.
  absl::StatusOr<std::size_t> Read(char* out, std::size_t size);

  const std::string& name() const { return name_; }
  // How much of the file's own bytes was taken, between 0 and 1; nothing when it has no length.
  std::optional<double> progress() const;

 private:
  struct Inflater;

  ByteSource(std::string name, int fd, std::int64_t length);
  absl::StatusOr<std::size_t> ReadRaw(char* out, std::size_t size);
  absl::Status Detect();
  absl::StatusOr<std::size_t> Inflate(char* out, std::size_t size);

  const std::string name_;
  const int fd_;
  const std::int64_t length_;  // 0 when there is none
  std::int64_t taken_ = 0;
  bool detected_ = false;
  std::vector<char> head_;              // read while looking for gzip's mark, handed out first
  std::unique_ptr<Inflater> inflater_;  // null for plain files
};

}  // namespace prequel::client
