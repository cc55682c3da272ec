#include "server/storage/rocks/rocks_info_log.h"

#include <algorithm>
#include <ctime>

namespace prequel {
namespace {

constexpr std::size_t kMaxBytes = std::size_t{4} << 20;

}  // namespace

RocksInfoLog::RocksInfoLog(const std::string& directory) : path_(directory + "/LOG") {
  MutexLock lock(mu_);
  Begin();
}

void RocksInfoLog::Begin() {
  file_.reset();
  bytes_ = 0;
  (void)std::rename(path_.c_str(), (path_ + ".old").c_str());
  file_.reset(std::fopen(path_.c_str(), "w"));
}

void RocksInfoLog::Logv(const char* format, va_list arguments) {
  if (path_.empty()) return;
  char line[1024];
  timespec now{};
  (void)clock_gettime(CLOCK_REALTIME, &now);
  tm utc{};
  (void)gmtime_r(&now.tv_sec, &utc);
  const std::size_t stamp = std::strftime(line, sizeof(line), "%Y-%m-%dT%H:%M:%SZ ", &utc);
  const std::size_t room = sizeof(line) - stamp - 1;  // with a place for the end of the line
  const int written = std::vsnprintf(line + stamp, room, format, arguments);
  std::size_t size = stamp + std::min<std::size_t>(std::max(written, 0), room - 1);
  if (size == 0 || line[size - 1] != '\n') line[size++] = '\n';
  MutexLock lock(mu_);
  if (bytes_ + size > kMaxBytes) Begin();
  if (file_ == nullptr) return;
  bytes_ += size;
  (void)std::fwrite(line, 1, size, file_.get());
  (void)std::fflush(file_.get());
}

}  // namespace prequel
