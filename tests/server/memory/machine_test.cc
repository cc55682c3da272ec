#include "server/memory/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace prequel {
namespace {

class MachineTest : public ::testing::Test {
 protected:
  MachineTest() {
    std::string name = (std::filesystem::temp_directory_path() / "prequel-XXXXXX").string();
    root_ = std::string(mkdtemp(name.data())) + "/";
  }
  ~MachineTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << text << "\n";
  }

  std::string root_;
};

TEST_F(MachineTest, TheLeastLimitOfAllGroupsCounts) {
  const std::int64_t physical = MemoryLimit(root_);
  EXPECT_GT(physical, 64 << 20);
  Write("proc/self/cgroup", "0::/kubepods/pod1/c");
  Write("sys/fs/cgroup/kubepods/pod1/c/memory.max", "max");
  EXPECT_EQ(MemoryLimit(root_), physical);
  Write("sys/fs/cgroup/kubepods/pod1/memory.max", "50000000");
  Write("sys/fs/cgroup/kubepods/memory.max", "60000000");
  EXPECT_EQ(MemoryLimit(root_), 50000000);
}

TEST_F(MachineTest, AContainerSeesItsOwnGroupAtTheTop) {
  Write("proc/self/cgroup", "0::/");
  Write("sys/fs/cgroup/memory.max", "40000000");
  EXPECT_EQ(MemoryLimit(root_), 40000000);
}

TEST_F(MachineTest, Version1OfControlGroups) {
  Write("proc/self/cgroup", "9:cpu:/other\n8:memory:/docker/x");
  Write("sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes", "30000000");
  EXPECT_EQ(MemoryLimit(root_), 30000000);
}

TEST_F(MachineTest, TheProcessHasMemory) { EXPECT_GT(ResidentBytes(), 1 << 20); }

}  // namespace
}  // namespace prequel
