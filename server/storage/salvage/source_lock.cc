#include "server/storage/salvage/source_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

bool MayWrite(const std::string& directory, const std::string& path) {
  const bool is_there = access(path.c_str(), F_OK) == 0;
  return access((is_there ? path : directory).c_str(), W_OK) == 0;
}

// The process that has the file locked; 0: none.
pid_t LockerOf(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return 0;
  struct flock lock = {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  const bool locked = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  (void)close(fd);
  return locked ? lock.l_pid : 0;
}

absl::Status InUse(const std::string& directory, const std::string& why) {
  return absl::FailedPreconditionError(absl::StrCat(
      "data directory ", directory, " is in use by a server: stop it first (", why, ")"));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SourceLock>> SourceLock::Take(rocksdb::Env& env,
                                                             const std::string& directory) {
  const std::string path = directory + "/LOCK";
  rocksdb::FileLock* lock = nullptr;
  if (MayWrite(directory, path)) {
    const rocksdb::Status locked = env.LockFile(path, &lock);
    if (!locked.ok()) return InUse(directory, locked.ToString());
  } else if (const pid_t locker = LockerOf(path); locker != 0) {
    return InUse(directory, absl::StrCat("process ", locker));
  }
  return std::unique_ptr<SourceLock>(new SourceLock(env, lock));
}

SourceLock::~SourceLock() {
  if (lock_ != nullptr) (void)env_.UnlockFile(lock_);
}

}  // namespace prequel
