#include "server/observe/process.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

namespace prequel::process_test {
namespace {

TEST(Process, KnowsItself) {
  const ProcessUse use = ReadProcessUse();
  const auto now =
      static_cast<double>(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  EXPECT_NEAR(use.start_seconds, now, 3600);
  EXPECT_GT(use.resident_bytes, 1 << 20);
  EXPECT_GT(use.virtual_bytes, use.resident_bytes);
  EXPECT_GT(use.max_descriptors, use.open_descriptors);
  EXPECT_GE(use.threads, 1);
}

TEST(Process, CountsWhatIsUsed) {
  const ProcessUse before = ReadProcessUse();
  const int pipe_end = dup(STDERR_FILENO);
  const auto start = std::chrono::steady_clock::now();
  // Processor time is counted in hundredths of a second.
  volatile double sum = 0;
  while (ReadProcessUse().cpu_seconds < before.cpu_seconds + 0.02 &&
         std::chrono::steady_clock::now() - start < std::chrono::seconds(60)) {
    for (int i = 0; i < 1'000'000; ++i) sum = sum + i;
  }
  const ProcessUse after = ReadProcessUse();
  EXPECT_GE(after.cpu_seconds, before.cpu_seconds + 0.02);
  EXPECT_EQ(after.open_descriptors, before.open_descriptors + 1);
  close(pipe_end);
}

}  // namespace
}  // namespace prequel::process_test
