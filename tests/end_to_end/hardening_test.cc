// What the program does for its own protection, and for whoever looks after it.
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/end_to_end/program_test.h"

namespace prequel::hardening_test {
namespace {

using std::filesystem::perms;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class HardeningTest : public ProgramTest {
 protected:
  // Of `directory`, and of all in it: how much that is.
  static int ExpectOfTheOwnerAlone(const std::string& directory) {
    constexpr perms kOthers = perms::group_all | perms::others_all;
    EXPECT_EQ(std::filesystem::status(directory).permissions() & kOthers, perms::none);
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      ++files;
      EXPECT_EQ(entry.status().permissions() & kOthers, perms::none) << entry.path();
    }
    return files;
  }
};

TEST_F(HardeningTest, FilesAreTheOwnersAlone) {
  std::filesystem::create_directory(data());
  std::filesystem::permissions(data(), perms::all);
  StartProgram({"--audit=" + directory_.path("audit")});
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(Learn(LinearBatch(1)).ok());
  StopProgram();
  EXPECT_GT(ExpectOfTheOwnerAlone(data()), 3);
  EXPECT_EQ(std::filesystem::status(directory_.path("audit")).permissions(),
            perms::owner_read | perms::owner_write);
}

// Whatever the umask is, and the permissions of an empty directory that is there already.
TEST_F(HardeningTest, WhatIsSalvagedIsTheOwnersAlone) {
  StartProgram();
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(Learn(LinearBatch(1)).ok());
  StopProgram();
  const std::string there = directory_.path("there");
  std::filesystem::create_directory(there);
  std::filesystem::permissions(there, perms::all);
  for (const std::string& to : {directory_.path("new"), there}) {
    ChildProcess salvage({PREQUEL_LOG, "salvage", "--data-dir=" + data(), "--to=" + to},
                         [] { umask(0); });
    EXPECT_THAT(salvage.ReadAll(), HasSubstr("models/m: saved to revision 1"));
    EXPECT_EQ(salvage.Wait(), 0) << salvage.errors();
    EXPECT_GT(ExpectOfTheOwnerAlone(to), 3);
  }
}

#ifdef PREQUEL_HARDENED
// Such a program calls this when its stack was overwritten, and so has its name.
TEST_F(HardeningTest, ProgramsWatchTheirStack) {
  for (const char* program : {PREQUELD, PREQUEL}) {
    std::ifstream file(program, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(bytes.find("__stack_chk_fail"), std::string::npos) << program;
  }
}
#endif

TEST_F(HardeningTest, TheAuditTrailSaysWhoDidWhat) {
  StartProgram({"--audit=" + directory_.path("audit")});
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  ASSERT_TRUE(Learn(LinearBatch(1, 8)).ok());
  v1::PredictResponse ignored;
  ASSERT_TRUE(Predict(LinearQuery(), &ignored).ok());
  EXPECT_FALSE(Learn(LinearBatch(1), nullptr, "nobody").ok());
  StopProgram();
  std::ifstream file(directory_.path("audit"));
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_THAT(lines[0], AllOf(StartsWith("{\"time\":\"20"), EndsWith("}"),
                              HasSubstr("\"principal\":\"anonymous\",\"method\":\"CreateModel\","
                                        "\"resource\":\"m\",\"code\":\"OK\"")));
  EXPECT_THAT(lines[1], AllOf(HasSubstr("\"method\":\"Learn\""), HasSubstr("\"rows\":8")));
  EXPECT_THAT(lines[2], HasSubstr("\"resource\":\"models/nobody\",\"code\":\"NOT_FOUND\""));
}

TEST_F(HardeningTest, TheAuditTrailMayHaveWhatIsOnlyLookedAt) {
  StartProgram({"--audit=" + directory_.path("audit"), "--audit-reads"});
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  v1::PredictResponse ignored;
  ASSERT_TRUE(Predict(LinearQuery(), &ignored).ok());
  const httplib::Result seen = http_->Get("/v2/models/m", {{"X-Request-Id", "7f3a-91"}});
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->get_header_value("X-Request-Id"), "7f3a-91");
  StopProgram();
  std::ifstream file(directory_.path("audit"));
  const std::string lines(std::istreambuf_iterator<char>(file), {});
  EXPECT_THAT(lines, HasSubstr("\"method\":\"Predict\",\"resource\":\"models/m\""));
  EXPECT_THAT(lines, ContainsRegex("\"ModelMetadata\".*\"request_id\":\"7f3a-91\"}"));
}

TEST_F(HardeningTest, AnAuditTrailThatCannotBeWrittenIsSaidAndCounted) {
  std::filesystem::create_symlink("/dev/full", directory_.path("audit"));
  StartProgram({"--audit=" + directory_.path("audit")});
  ASSERT_TRUE(CreateModel("m", LinearConfig()).ok());
  const auto counted = [this] {
    const httplib::Result metrics = http_->Get("/metrics");
    return metrics && metrics->body.find("\nprequel_audit_failures_total 1\n") != std::string::npos;
  };
  for (int i = 0; i < 400 && !counted(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_TRUE(counted());
  StopProgram();
  EXPECT_THAT(program_->errors(), HasSubstr("ERROR the audit trail: cannot write "));
}

TEST_F(HardeningTest, TheLogMayBeJson) {
  StartProgram({"--log-format=json"});
  StopProgram();
  std::istringstream log(program_->errors());
  int lines = 0;
  for (std::string line; std::getline(log, line); ++lines) {
    EXPECT_THAT(line, AllOf(StartsWith("{\"time\":\"20"), EndsWith("\"}"),
                            HasSubstr("\"severity\":\"INFO\",\"message\":\"")));
  }
  EXPECT_GE(lines, 2);
}

TEST_F(HardeningTest, TheLimitOfDescriptorsIsRaised) {
  const auto low = [] {
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = 256;
    limit.rlim_max = 1024;
    setrlimit(RLIMIT_NOFILE, &limit);
  };
  program_ = std::make_unique<ChildProcess>(
      std::vector<std::string>{PREQUELD, "--data-dir=" + data(), "--listen=127.0.0.1:0",
                               "--http=127.0.0.1:0"},
      low);
  ConnectTo(*program_);
  const httplib::Result metrics = http_->Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_THAT(metrics->body,
              AllOf(HasSubstr("\nprocess_max_fds 1024\n"), HasSubstr("\nprocess_open_fds "),
                    HasSubstr("\nprocess_resident_memory_bytes "),
                    HasSubstr("\nprequel_build_info{architecture=\"")));
  StopProgram();
}

}  // namespace
}  // namespace prequel::hardening_test
