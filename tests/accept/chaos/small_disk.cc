#include "tests/accept/chaos/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "absl/strings/str_cat.h"

namespace prequel::accept {
namespace {

std::int64_t FreeOn(const std::string& path) {
  struct statvfs disk {};
  (void)statvfs(path.c_str(), &disk);
  return static_cast<std::int64_t>(disk.f_bavail * disk.f_frsize);
}

std::int64_t SizeOf(const std::string& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? 512 * status.st_blocks : 0;
}

}  // namespace

SmallDisk::SmallDisk(std::string path) : path_(std::move(path)), filler_(path_ + "/filler") {
  std::filesystem::create_directories(path_);
  const std::string options = absl::StrCat("size=", kSize);
  // For this thread and those that it starts, so that the mount ends with the program, however that
  // ends.
  mounted_ = unshare(CLONE_NEWNS) == 0 &&
             mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
             mount("tmpfs", path_.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, options.c_str()) == 0;
}

SmallDisk::~SmallDisk() {
  if (mounted_) umount2(path_.c_str(), MNT_DETACH);
}

std::int64_t SmallDisk::used() const { return kSize - FreeOn(path_) - SizeOf(filler_); }

void SmallDisk::LeaveRoom(std::int64_t room) const {
  const int fd = open(filler_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (fd < 0) return;
  const std::int64_t length = SizeOf(filler_);
  const std::int64_t wanted = std::max<std::int64_t>(0, length + FreeOn(path_) - room);
  if (wanted < length) (void)!ftruncate(fd, wanted);
  // Its user may take some of it at the same moment: as much as there is, in ever smaller pieces.
  std::int64_t end = std::min(length, wanted);
  for (std::int64_t piece = wanted - end; end < wanted && piece > 0;) {
    piece = std::min(piece, wanted - end);
    if (posix_fallocate(fd, end, piece) == 0) {
      end += piece;
    } else {
      piece /= 2;
    }
  }
  close(fd);
}

}  // namespace prequel::accept
