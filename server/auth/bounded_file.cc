#include "server/auth/bounded_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

absl::Status CannotRead(const std::string& path) {
  return absl::UnavailableError(absl::StrCat("cannot read ", path, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<std::string> ReadBoundedFile(const std::string& path) {
  // O_NONBLOCK, since a named pipe would keep a server from starting.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return CannotRead(path);
  std::string content(kMaxFileBytes + 1, '\0');
  std::size_t length = 0;
  absl::Status status;
  while (length < content.size()) {
    const ssize_t got = read(fd, content.data() + length, content.size() - length);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) status = CannotRead(path);
    if (got <= 0) break;
    length += static_cast<std::size_t>(got);
  }
  close(fd);
  if (!status.ok()) return status;
  if (length > kMaxFileBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, " has more than ", kMaxFileBytes, " bytes"));
  }
  content.resize(length);
  return content;
}

}  // namespace prequel
