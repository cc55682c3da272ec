#include "server/observe/process.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <system_error>

namespace prequel {
namespace {

// Fields of /proc/self/stat that follow the program's name, which may hold anything; the first is
// the third of proc(5).
void ReadStat(ProcessUse& use) {
  std::ifstream file("/proc/self/stat");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t after = text.rfind(')');
  if (after == text.npos) return;
  std::istringstream fields(text.substr(after + 1));
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  std::string field;
  double started = 0;
  for (int number = 3; fields >> field; ++number) {
    if (number == 14 || number == 15) use.cpu_seconds += std::stod(field) / ticks;
    if (number == 20) use.threads = std::stoll(field);
    if (number == 22) started = std::stod(field) / ticks;
    if (number == 23) use.virtual_bytes = std::stoll(field);
    if (number == 24) use.resident_bytes = std::stoll(field) * sysconf(_SC_PAGESIZE);
    if (number == 24) break;
  }
  double boot = 0;
  std::ifstream stat("/proc/stat");
  for (std::string line; std::getline(stat, line);) {
    if (line.starts_with("btime ")) boot = std::stod(line.substr(6));
  }
  use.start_seconds = boot + started;
}

}  // namespace

ProcessUse ReadProcessUse() {
  ProcessUse use;
  ReadStat(use);
  std::error_code failed;
  const std::filesystem::directory_iterator descriptors("/proc/self/fd", failed);
  if (!failed) use.open_descriptors = std::distance(begin(descriptors), end(descriptors));
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    use.max_descriptors = static_cast<std::int64_t>(limit.rlim_cur);
  }
  return use;
}

}  // namespace prequel
