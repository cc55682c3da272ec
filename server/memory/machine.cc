#include "server/memory/machine.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace prequel {
namespace {

constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
constexpr double kAll = std::numeric_limits<double>::infinity();

// The number in a file, when that is all it holds; "max" and what is not there are no limit.
std::int64_t LimitIn(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  std::int64_t limit = 0;
  if (!(file >> text) || !absl::SimpleAtoi(text, &limit) || limit <= 0) return kNone;
  return limit;
}

// The folder of the group below `mount`, and of those that it is in.
void AddUpwards(const std::string& mount, std::string group, std::vector<std::string>& folders) {
  folders.push_back(mount);
  while (group.size() > 1 && group.front() == '/') {
    folders.push_back(mount + group);
    group.erase(group.rfind('/'));
  }
}

// ControlGroups gives the folders of all control groups that have to do with `controller`, by the
// lines of /proc/self/cgroup: "0::/group" of version 2 and "9:cpu,cpuacct:/group" of version 1.
std::vector<std::string> ControlGroups(const std::string& root, std::string_view controller) {
  std::vector<std::string> folders;
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const std::vector<std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 2));
    if (parts.size() < 3) continue;
    const std::vector<std::string> controllers = absl::StrSplit(parts[1], ',');
    if (parts[1].empty()) {
      AddUpwards(root + "sys/fs/cgroup", parts[2], folders);
    } else if (std::find(controllers.begin(), controllers.end(), controller) != controllers.end()) {
      AddUpwards(root + "sys/fs/cgroup/" + std::string(controller), parts[2], folders);
    }
  }
  return folders;
}

// Processor time of a period, and the period, in microseconds. "max" and -1 are no limit.
double CoresIn(const std::string& folder) {
  std::ifstream both(folder + "/cpu.max");
  std::ifstream quota(folder + "/cpu.cfs_quota_us"), period(folder + "/cpu.cfs_period_us");
  double time = 0, of = 0;
  if (!(both >> time >> of) && !(quota >> time && period >> of)) return kAll;
  return time > 0 && of > 0 ? time / of : kAll;
}

}  // namespace

std::int64_t MemoryLimit(const std::string& root) {
  const std::int64_t physical = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) *
                                static_cast<std::int64_t>(sysconf(_SC_PAGE_SIZE));
  std::int64_t least = physical;
  for (const std::string& folder : ControlGroups(root, "memory")) {
    least = std::min(
        {least, LimitIn(folder + "/memory.max"), LimitIn(folder + "/memory.limit_in_bytes")});
  }
  return least;
}

int CoreLimit(const std::string& root) {
  double least = std::max(1U, std::thread::hardware_concurrency());
  for (const std::string& folder : ControlGroups(root, "cpu")) {
    least = std::min(least, CoresIn(folder));
  }
  return static_cast<int>(std::ceil(least));
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
