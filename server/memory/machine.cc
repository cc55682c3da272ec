#include "server/memory/machine.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string_view>

#include "absl/strings/numbers.h"

namespace prequel {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();

// The number in a file, when that is all it holds; "max" and what is not there are no limit.
std::int64_t LimitIn(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::int64_t limit = 0;
  if (!(file >> text) || !absl::SimpleAtoi(text, &limit) || limit <= 0) return kNone;
  return limit;
}

// Of the group and those that it is in.
std::int64_t LimitUpwards(const std::string& mount, std::string group, const char* file) {
  std::int64_t least = LimitIn(mount + "/" + file);
  while (group.size() > 1 && group.front() == '/') {
    least = std::min(least, LimitIn(mount + group + "/" + file));
    group.erase(group.rfind('/'));
  }
  return least;
}

// By the lines of /proc/self/cgroup, "0::/group" of version 2 and "9:memory:/group" of version 1.
std::int64_t ControlGroupLimit(const std::string& root) {
  std::int64_t least = kNone;
  std::ifstream groups(root + "proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    const std::size_t second = line.find(':', line.find(':') + 1);
    if (second == line.npos) continue;
    const std::string group = line.substr(second + 1);
    if (line.starts_with("0::")) {
      least = std::min(least, LimitUpwards(root + "sys/fs/cgroup", group, "memory.max"));
    } else if (line.find(":memory:") != line.npos) {
      least = std::min(least,
                       LimitUpwards(root + "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
    }
  }
  return least;
}

}  // namespace

std::int64_t MemoryLimit(const std::string& root) {
  const std::int64_t physical = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
  return std::min(physical, ControlGroupLimit(root));
}

std::int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::int64_t all = 0, resident = 0;
  if (!(file >> all >> resident)) return 0;
  return resident * static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
}

std::int64_t AllocatedBytes() {
  const struct mallinfo2 all = mallinfo2();
  return static_cast<std::int64_t>(all.uordblks + all.hblkhd);
}

}  // namespace prequel
