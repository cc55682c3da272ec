#include "server/observe/rotated_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

absl::Status Cannot(const char* what, const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("cannot ", what, " ", path, ": ", std::strerror(error)));
}

bool Exists(const std::string& path) {
  std::error_code unknown;
  return std::filesystem::exists(path, unknown);
}

}  // namespace

absl::Status RotatedFile::Open() {
  fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  struct stat status = {};
  if (fd_ < 0 || fstat(fd_, &status) != 0) return Cannot("write", path_, errno);
  bytes_ = status.st_size;
  rotation_ = absl::OkStatus();
  return absl::OkStatus();
}

void RotatedFile::Close() {
  if (fd_ >= 0) close(fd_);
  fd_ = -1;
}

absl::Status RotatedFile::Write(std::string_view line) {
  const auto length = static_cast<std::int64_t>(line.size());
  absl::Status status = fd_ >= 0 ? absl::OkStatus() : Open();
  if (status.ok() && bytes_ > 0 && bytes_ + length > max_bytes_) status = Rotate();
  if (!status.ok()) return status;
  const ssize_t written = write(fd_, line.data(), line.size());
  if (written == length) {
    bytes_ += length;
    return absl::OkStatus();
  }
  status = Cannot("write", path_, written < 0 ? errno : ENOSPC);
  if (written > 0) (void)!ftruncate(fd_, bytes_);  // no part of a line
  Close();
  return status;
}

absl::Status RotatedFile::Rotate() {
  rotation_ = Rename();
  if (!rotation_.ok()) return absl::OkStatus();
  Close();
  return Open();
}

// Rename moves files as far as the first number that is free: an attempt that came to nothing
// halfway left one free, and so the next attempt gives up no more files than that one did.
absl::Status RotatedFile::Rename() const {
  int last = 1;
  while (last < kept_ && Exists(Name(last))) ++last;
  for (int i = last; i > 0; --i) {
    const std::string from = Name(i - 1);
    // A file that somebody has taken away need not be renamed.
    if (rename_file_(from.c_str(), Name(i).c_str()) != 0 && errno != ENOENT) {
      return Cannot("rename", from, errno);
    }
  }
  return absl::OkStatus();
}

std::string RotatedFile::Name(int number) const {
  return number == 0 ? path_ : absl::StrCat(path_, ".", number);
}

}  // namespace prequel
