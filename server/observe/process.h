// What the operating system knows of this process.
#pragma once

#include <cstdint>

namespace prequel {

// 0 where it is not known.
struct ProcessUse {
  double cpu_seconds = 0;
  double start_seconds = 0;  // since 1970
  std::int64_t virtual_bytes = 0;
  std::int64_t resident_bytes = 0;
  std::int64_t open_descriptors = 0;
  std::int64_t max_descriptors = 0;
  std::int64_t threads = 0;
};

ProcessUse ReadProcessUse();

}  // namespace prequel
