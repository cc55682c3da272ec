// A server whose disk fills up for a while.
#include <grpcpp/grpcpp.h>
#include <signal.h>
#include <sys/mount.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "tests/end_to_end/program_test.h"

namespace prequel::full_disk_test {
namespace {

class FullDiskTest : public ProgramTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(data());
    // Less than the 70.4 MiB that RocksDB would reserve for its log, and then write to; more than
    // the 64 MiB with which it goes on.
    if (mount("tmpfs", data().c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "size=70m") != 0) {
      GTEST_SKIP() << "mounting a small file system takes the right to (CAP_SYS_ADMIN)";
    }
    mounted_ = true;
  }
  void TearDown() override {
    program_.reset();
    if (mounted_) umount2(data().c_str(), MNT_DETACH);
  }

  std::string filler() const { return data() + "/filler"; }

  // Until nothing more goes in.
  void FillDisk() const {
    for (const std::size_t size : {std::size_t{1} << 20, std::size_t{1} << 12}) {
      const std::string block(size, 'f');
      std::ofstream file(filler(), std::ios::app);
      while (file << block << std::flush) {
      }
    }
  }

  bool mounted_ = false;
};

TEST_F(FullDiskTest, LearningGoesOnByItselfOnceThereIsRoom) {
  constexpr int kRows = 4'000;
  WriteRows(kRows);
  StartProgram();
  ASSERT_TRUE(CreateModel("whole", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("stopped", LinearConfig()).ok());
  EXPECT_EQ(LearnRows("whole")->Wait(), 0);
  FillDisk();
  const std::unique_ptr<ChildProcess> learning = LearnRows("stopped");
  ASSERT_TRUE(Becomes(false)) << "the disk is full";
  const httplib::Result ready = http_->Get("/v2/health/ready");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, 503);
  EXPECT_THAT(ready->body, ::testing::HasSubstr("until the disk has room again"));
  v1::PredictResponse predicted;
  EXPECT_TRUE(Predict(LinearQuery(), &predicted, "whole").ok()) << "reads go on";
  EXPECT_EQ(CreateModel("another", LinearConfig()).error_code(), grpc::StatusCode::UNAVAILABLE);
  std::filesystem::remove(filler());
  ASSERT_TRUE(Becomes(true)) << "there is room";
  EXPECT_EQ(http_->Get("/v2/health/ready")->status, 200);
  EXPECT_EQ(learning->Wait(), 0) << learning->errors();
  EXPECT_TRUE(CreateModel("another", LinearConfig()).ok());
  const std::string fingerprint = Fingerprint("whole");
  EXPECT_EQ(Fingerprint("stopped"), fingerprint);

  program_->Signal(SIGKILL);
  program_->Wait();
  const std::string errors = program_->errors();
  EXPECT_THAT(errors, ::testing::HasSubstr("until the disk has room again"));
  EXPECT_THAT(errors, ::testing::HasSubstr("accepts writes again"));
  StartProgram();
  ASSERT_TRUE(Becomes(true));
  EXPECT_EQ(Fingerprint("stopped"), fingerprint);
}

// Nothing free at all, and nobody there to make room: it stops, and starts, and can be asked.
TEST_F(FullDiskTest, AServerStopsAndStartsOnADiskThatIsFull) {
  WriteRows(4'000);
  StartProgram();
  ASSERT_TRUE(CreateModel("whole", LinearConfig()).ok());
  ASSERT_TRUE(CreateModel("stopped", LinearConfig()).ok());
  EXPECT_EQ(LearnRows("whole")->Wait(), 0);
  const std::string fingerprint = Fingerprint("whole");
  FillDisk();
  const std::unique_ptr<ChildProcess> learning = LearnRows("stopped");
  ASSERT_TRUE(Becomes(false)) << "the disk is full";
  learning->Signal(SIGKILL);
  learning->Wait();
  StopProgram();
  EXPECT_THAT(program_->errors(), ::testing::HasSubstr("stopped"));
  FillDisk();
  StartProgram();
  v1::PredictResponse predicted;
  for (int i = 0; i < 300 && !Predict(LinearQuery(), &predicted, "whole").ok(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_EQ(Fingerprint("whole"), fingerprint) << "reads go on";
  const grpc::Status full = Learn(LinearBatch(1), nullptr, "whole");
  EXPECT_EQ(full.error_code(), grpc::StatusCode::UNAVAILABLE);
  EXPECT_THAT(full.error_message(), ::testing::HasSubstr("until the disk has room again"));
  const httplib::Result ready = http_->Get("/v2/health/ready");
  ASSERT_TRUE(ready);
  EXPECT_EQ(ready->status, 503);
  EXPECT_THAT(ready->body, ::testing::HasSubstr("until the disk has room again"));
  const httplib::Result metrics = http_->Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_THAT(metrics->body, ::testing::HasSubstr("prequel_storage_healthy 0"));
  StopProgram();
  StartProgram();
  std::filesystem::remove(filler());
  ConnectTo(*program_);  // by itself, once there is room, at other ports
  ASSERT_TRUE(Becomes(true)) << "there is room";
  EXPECT_TRUE(Learn(LinearBatch(1), nullptr, "whole").ok());
  StopProgram();
  EXPECT_THAT(program_->errors(), ::testing::HasSubstr("starting anew"));
}

}  // namespace
}  // namespace prequel::full_disk_test
