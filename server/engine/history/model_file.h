// A model as a file: its configuration and one revision, for another server. server/formats.md
// defines the bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace prequel {

struct ModelFile {
  std::int64_t revision = 0;
  std::int64_t create_time_us = 0;  // of the file
  std::string build;                // who wrote it: version and instruction set
  std::string config;               // as a model's record keeps it
  std::string body;                 // a capture: ledger and state
};

// Hands a file out piece by piece, each with a checksum of its own, so that the body is in memory
// once.
class ModelFileWriter {
 public:
  explicit ModelFileWriter(ModelFile file) : file_(std::move(file)) {}

  // The next piece; empty at the end.
  std::string Next();

 private:
  enum class Part { kHead, kBody, kEnd, kDone };

  ModelFile file_;
  Part part_ = Part::kHead;
  std::size_t written_ = 0;  // of the body
};

// Takes a file in as it comes, cut anywhere. After an error it takes no more.
class ModelFileReader {
 public:
  // A file whose body is larger, or whose head needs more than a frame and is, is
  // RESOURCE_EXHAUSTED.
  explicit ModelFileReader(std::uint64_t max_body_bytes) : max_body_bytes_(max_body_bytes) {}

  // DATA_LOSS for damage, FAILED_PRECONDITION for a version that is not this one.
  absl::Status Add(std::string_view bytes);

  // DATA_LOSS when the end is missing.
  absl::StatusOr<ModelFile> Finish() &&;

 private:
  absl::Status TakeFrames();
  absl::Status TakeFrame(char type, std::string_view payload);
  absl::Status TooLong() const;

  const std::uint64_t max_body_bytes_;
  std::string pending_;  // not yet a whole frame
  bool begun_ = false;   // the magic has been read
  bool ended_ = false;
  bool headed_ = false;  // the head is complete, and read
  std::string head_;     // until then
  ModelFile file_;
};

}  // namespace prequel
