#include "server/observe/audit.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace prequel::audit_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class AuditTest : public ::testing::Test {
 protected:
  AuditTest() { options_.path = folder() / "audit"; }
  ~AuditTest() override { std::filesystem::remove_all(folder()); }

  const std::filesystem::path& folder() {
    if (folder_.empty()) {
      std::string name = (std::filesystem::temp_directory_path() / "audit-XXXXXX").string();
      folder_ = mkdtemp(name.data());
    }
    return folder_;
  }
  static CallRecord Call(std::string_view method, std::string_view resource = "models/m") {
    CallRecord call;
    call.method = method;
    call.principal = "ingest";
    call.resource = resource;
    call.start =
        std::chrono::system_clock::time_point(std::chrono::milliseconds(1'700'000'000'123));
    call.duration = std::chrono::microseconds(1500);
    call.request_bytes = 10;
    call.response_bytes = 20;
    call.rows = 3;
    return call;
  }
  static CallRecord Stranger(std::string_view resource) {
    CallRecord call = Call("Learn", resource);
    call.principal = kUnknownPrincipal;
    call.code = absl::StatusCode::kUnauthenticated;
    return call;
  }
  // Opens a trail, tells it of `calls`, and closes it again.
  void Tell(const std::vector<CallRecord>& calls) const {
    const auto trail = AuditTrail::Open(options_);
    ASSERT_TRUE(trail.ok()) << trail.status();
    for (const CallRecord& call : calls) (*trail)->OnCall(call);
  }
  static void AwaitFailures(const AuditTrail& trail, std::int64_t failures) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (trail.failures() < failures && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    EXPECT_GE(trail.failures(), failures);
  }
  std::vector<std::string> Lines(const std::string& suffix = "") const {
    std::ifstream file(options_.path + suffix);
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) lines.push_back(line);
    return lines;
  }

  std::filesystem::path folder_;
  AuditOptions options_;
};

TEST_F(AuditTest, SaysWhoDidWhat) {
  CallRecord refused = Call("DeleteModel");
  refused.code = absl::StatusCode::kPermissionDenied;
  Tell({Call("Learn"), refused});
  EXPECT_THAT(
      Lines(),
      ElementsAre("{\"time\":\"2023-11-14T22:13:20.123Z\",\"principal\":\"ingest\","
                  "\"method\":\"Learn\",\"resource\":\"models/m\",\"code\":\"OK\","
                  "\"request_bytes\":10,\"response_bytes\":20,\"rows\":3,\"milliseconds\":1.500}",
                  HasSubstr("\"method\":\"DeleteModel\",\"resource\":\"models/m\","
                            "\"code\":\"PERMISSION_DENIED\"")));
  struct stat status = {};
  ASSERT_EQ(stat(options_.path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
}

TEST_F(AuditTest, SaysWhatTheCallerCallsIt) {
  CallRecord call = Call("Learn");
  call.request_id = "7f3a-91";
  Tell({call});
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr(",\"request_id\":\"7f3a-91\"}")));
}

TEST_F(AuditTest, RefusesWhatItCouldNotSayWhenItIsRequired) {
  const auto await = [](const AuditTrail& trail, absl::StatusCode code) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (trail.MayBegin("Learn").code() != code && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    return trail.MayBegin("Learn").code();
  };
  std::filesystem::create_symlink("/dev/full", options_.path);
  options_.required = true;
  auto trail = AuditTrail::Open(options_).value();
  EXPECT_TRUE(trail->MayBegin("Learn").ok());
  trail->OnCall(Call("Learn"));
  EXPECT_EQ(await(*trail, absl::StatusCode::kUnavailable), absl::StatusCode::kUnavailable);
  EXPECT_TRUE(trail->MayBegin("Predict").ok());
  std::filesystem::remove(options_.path);
  EXPECT_EQ(await(*trail, absl::StatusCode::kOk), absl::StatusCode::kOk);
  trail.reset();
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("Learn"))) << "what could not be written then";
}

TEST_F(AuditTest, RefusesNothingUnlessItIsRequired) {
  std::filesystem::create_symlink("/dev/full", options_.path);
  const auto trail = AuditTrail::Open(options_).value();
  trail->OnCall(Call("Learn"));
  EXPECT_TRUE(trail->MayBegin("Learn").ok());
}

TEST_F(AuditTest, LeavesOutWhatOnlyLooks) {
  Tell({Call("Predict"), Call("GetModel"), Call("ListModels"), Call("ListRevisions"),
        Call("GetEvaluation"), Call("WatchEvaluation"), Call("ModelInfer"), Call("ExportModel")});
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("ExportModel")));
}

TEST_F(AuditTest, HasWhatOnlyLooksWhenItIsAskedTo) {
  options_.reads = true;
  Tell({Call("Predict"), Call("ListModels", ""), Call("Learn")});
  EXPECT_THAT(Lines(),
              ElementsAre(HasSubstr("Predict"), HasSubstr("ListModels"), HasSubstr("Learn")));
}

TEST_F(AuditTest, RefusesWhatOnlyLooksWhereThatBelongsInATrailThatIsRequired) {
  options_.reads = options_.required = true;
  std::filesystem::create_symlink("/dev/full", options_.path);
  const auto trail = AuditTrail::Open(options_).value();
  trail->OnCall(Call("Predict"));
  AwaitFailures(*trail, 1);
  EXPECT_EQ(trail->MayBegin("Predict").code(), absl::StatusCode::kUnavailable);
}

// Else whoever can reach a port could have every line of the others renamed out of what is kept.
TEST_F(AuditTest, StrangersHaveALineASecond) {
  static LogBudget::Clock::time_point now;
  now = LogBudget::Clock::time_point(std::chrono::hours(1));
  options_.now = +[] { return now; };
  {
    const auto trail = AuditTrail::Open(options_).value();
    for (int i = 0; i < 1000; ++i) trail->OnCall(Stranger("first"));
    trail->OnCall(Call("Learn"));
    now += std::chrono::seconds(1);
    trail->OnCall(Stranger("second"));
    CallRecord revoked = Call("LearnStream");
    revoked.code = absl::StatusCode::kUnauthenticated;
    trail->OnCall(revoked);
  }
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("first"), HasSubstr("\"principal\":\"ingest\""),
                                   AllOf(HasSubstr("second"),
                                         HasSubstr("\"strangers_left_out_before\":999}")),
                                   HasSubstr("LearnStream")));
}

TEST_F(AuditTest, SaysOnceThatItCannotBeWrittenAndCountsEachLine) {
  std::filesystem::create_symlink("/dev/full", options_.path);
  ::testing::internal::CaptureStderr();
  {
    const auto trail = AuditTrail::Open(options_).value();
    for (int i = 1; i <= 3; ++i) {
      trail->OnCall(Call("Learn"));
      AwaitFailures(*trail, i);
    }
    std::filesystem::remove(options_.path);
    trail->OnCall(Call("DeleteModel"));
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, ::testing::ContainsRegex("ERROR the audit trail: cannot write .*/audit: No "
                                            "space left on device\n.*INFO the audit trail is "
                                            "written again\n$"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 2);
  EXPECT_THAT(Lines(),
              ElementsAre(AllOf(HasSubstr("DeleteModel"), HasSubstr("\"left_out_before\":3}"))));
}

TEST_F(AuditTest, WhatIsRefusedMeanwhileLeavesRoomForWhatHadBegun) {
  options_.required = true;
  std::filesystem::create_symlink("/dev/full", options_.path);
  {
    const auto trail = AuditTrail::Open(options_).value();
    trail->OnCall(Call("Learn"));
    AwaitFailures(*trail, 1);
    CallRecord refused = Call("DeleteModel");
    refused.code = absl::StatusCode::kUnavailable;
    refused.rows = 0;
    for (int i = 0; i < 20'000; ++i) trail->OnCall(refused);
    trail->OnCall(Call("LearnStream"));
    std::filesystem::remove(options_.path);
  }
  EXPECT_THAT(Lines().back(), AllOf(HasSubstr("LearnStream"), HasSubstr("left_out_before")));
}

// What stands in the way of a new name: even root cannot rename a file to a directory.
TEST_F(AuditTest, SaysThatItCannotBeRenamedAndGoesOn) {
  std::filesystem::create_directory(options_.path + ".1");
  options_.kept = 1;
  options_.max_bytes = 300;
  ::testing::internal::CaptureStderr();
  {
    const auto trail = AuditTrail::Open(options_).value();
    for (int i = 0; i < 4; ++i) trail->OnCall(Call("Learn"));
    AwaitFailures(*trail, 3);
  }
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("the audit trail: cannot rename " + options_.path + ": Is a dir"));
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 1);
  EXPECT_EQ(Lines().size(), 4U);
}

TEST_F(AuditTest, NothingThatACallerWritesLeavesItsPlace) {
  Tell({Call("CreateModel", "a\",\"code\":\"OK\n{}\\\x01\xff"),
        Call("CreateModel", std::string(100'000, 'x'))});
  ASSERT_EQ(Lines().size(), 2U);
  EXPECT_THAT(Lines()[0], HasSubstr("\"resource\":\"a\\\",\\\"code\\\":\\\"OK\\ufffd{}\\\\"
                                    "\\ufffd\\ufffd\",\"code\""));
  EXPECT_LT(Lines()[1].size(), 1000U);
}

TEST_F(AuditTest, GoesOnWhereItWasAndRotates) {
  options_.max_bytes = 500;
  options_.kept = 2;
  for (int i = 0; i < 10; ++i) Tell({Call("Learn", "models/m" + std::to_string(i))});
  EXPECT_THAT(Lines(), ElementsAre(HasSubstr("m8"), HasSubstr("m9")));
  EXPECT_THAT(Lines(".1"), ElementsAre(HasSubstr("m6"), HasSubstr("m7")));
  EXPECT_THAT(Lines(".2"), ElementsAre(HasSubstr("m4"), HasSubstr("m5")));
  EXPECT_FALSE(std::filesystem::exists(options_.path + ".3"));
}

TEST_F(AuditTest, TakesCallsOfManyThreads) {
  {
    const auto trail = AuditTrail::Open(options_);
    ASSERT_TRUE(trail.ok());
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&trail] {
        for (int i = 0; i < 500; ++i) (*trail)->OnCall(Call("Learn"));
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(Lines().size(), 2000U);
}

TEST_F(AuditTest, SaysWhatItCannotWrite) {
  options_.path = "/nowhere/audit";
  EXPECT_THAT(std::string(AuditTrail::Open(options_).status().message()),
              HasSubstr("--audit: cannot write /nowhere/audit"));
}

}  // namespace
}  // namespace prequel::audit_test
