#include "server/memory/machine.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

namespace prequel::machine_test {
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

TEST_F(MachineTest, CoresAreWhatTheLeastOfAllGroupsGivesRoundedUp) {
  const int all = CoreLimit(root_);
  EXPECT_EQ(all, static_cast<int>(std::max(1U, std::thread::hardware_concurrency())));
  Write("proc/self/cgroup", "0::/kubepods/pod1/c");
  Write("sys/fs/cgroup/kubepods/pod1/c/cpu.max", "max 100000");
  EXPECT_EQ(CoreLimit(root_), all);
  Write("sys/fs/cgroup/kubepods/pod1/cpu.max", "110000 100000");
  EXPECT_EQ(CoreLimit(root_), std::min(2, all));
  Write("sys/fs/cgroup/kubepods/cpu.max", "5000 100000");
  EXPECT_EQ(CoreLimit(root_), 1);
  Write("sys/fs/cgroup/kubepods/cpu.max", "100000000 100000");
  EXPECT_EQ(CoreLimit(root_), std::min(2, all));
}

TEST_F(MachineTest, CoresOfVersion1) {
  const int all = CoreLimit(root_);
  Write("proc/self/cgroup", "9:cpu,cpuacct:/docker/x\n8:memory:/docker/y");
  Write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_period_us", "100000");
  Write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "-1");
  EXPECT_EQ(CoreLimit(root_), all);
  Write("sys/fs/cgroup/cpu/docker/x/cpu.cfs_quota_us", "50000");
  EXPECT_EQ(CoreLimit(root_), 1);
}

TEST_F(MachineTest, CoresThatAreNotSaidAreAllThereAre) {
  const int all = CoreLimit(root_);
  Write("proc/self/cgroup", "0::/");
  for (const char* text : {"", "max", "many 100000", "50000", "50000 0", "-1 100000"}) {
    Write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(CoreLimit(root_), all) << text;
  }
}

TEST_F(MachineTest, TheProcessHasMemory) { EXPECT_GT(ResidentBytes(), 1 << 20); }

}  // namespace
}  // namespace prequel::machine_test
