#include "server/auth/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace prequel {
namespace {

absl::Status Failed(const char* what) {
  return absl::UnavailableError(std::string(what) + ": " + std::strerror(errno));
}

absl::Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return Failed("cannot write a file in memory");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return absl::OkStatus();
}

}  // namespace

MemoryFile::~MemoryFile() {
  if (fd_ >= 0) close(fd_);
}

absl::Status MemoryFile::Replace(std::string_view bytes) {
  const int next = memfd_create("prequel", MFD_CLOEXEC);
  if (next < 0) return Failed("cannot make a file in memory");
  absl::Status status = WriteAll(next, bytes);
  if (status.ok() && fd_ < 0) {
    fd_ = next;
    return status;
  }
  if (status.ok() && dup3(next, fd_, O_CLOEXEC) < 0) status = Failed("cannot replace a file");
  close(next);
  return status;
}

std::string MemoryFile::path() const { return "/proc/self/fd/" + std::to_string(fd_); }

}  // namespace prequel
