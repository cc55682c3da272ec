#include "server/log/call_log.h"

#include <gmock/gmock.h>

#include <chrono>
#include <sstream>
#include <string>
#include <vector>

namespace prequel::call_log_test {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

CallRecord Failed(absl::StatusCode code) {
  CallRecord call;
  call.method = "Predict";
  call.principal = "dashboard";
  call.resource = "models/m";
  call.request_id = "7f3a-91";
  call.code = code;
  call.message = "a record is gone";
  return call;
}

// What is logged of `calls`, line by line, without its time.
std::vector<std::string> Logged(CallLog& log, const std::vector<CallRecord>& calls) {
  ::testing::internal::CaptureStderr();
  for (const CallRecord& call : calls) log.OnCall(call);
  std::vector<std::string> lines;
  std::istringstream text(::testing::internal::GetCapturedStderr());
  for (std::string line; std::getline(text, line);) {
    lines.push_back(line.substr(line.find(' ') + 1));
  }
  return lines;
}

TEST(CallLog, SaysWhatFailed) {
  CallLog log;
  EXPECT_THAT(Logged(log, {Failed(absl::StatusCode::kDataLoss)}),
              ElementsAre("ERROR Predict by \"dashboard\" of \"models/m\", request \"7f3a-91\": "
                          "DATA_LOSS: a record is gone"));
  CallRecord bare = Failed(absl::StatusCode::kUnknown);
  bare.resource = bare.request_id = "";
  EXPECT_THAT(Logged(log, {bare, Failed(absl::StatusCode::kInternal)}),
              ElementsAre("ERROR Predict by \"dashboard\": UNKNOWN: a record is gone",
                          HasSubstr("INTERNAL")));
}

TEST(CallLog, SaysNothingOfOtherErrors) {
  CallLog log;
  std::vector<CallRecord> calls;
  for (const absl::StatusCode code :
       {absl::StatusCode::kOk, absl::StatusCode::kInvalidArgument, absl::StatusCode::kNotFound,
        absl::StatusCode::kUnauthenticated, absl::StatusCode::kResourceExhausted,
        absl::StatusCode::kUnavailable, absl::StatusCode::kCancelled}) {
    calls.push_back(Failed(code));
  }
  EXPECT_THAT(Logged(log, calls), IsEmpty());
}

TEST(CallLog, WhatACallerWritesStaysInItsPlace) {
  CallLog log;
  CallRecord call = Failed(absl::StatusCode::kInternal);
  const std::string resource = "m\": OK\n\xff" + std::string(10'000, 'x');
  const std::string message(10'000, 'y');
  call.resource = resource;
  call.message = message;
  const std::vector<std::string> lines = Logged(log, {call});
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_THAT(lines[0], HasSubstr("of \"m\\\": OK\\n\\377xxx"));
  EXPECT_LT(lines[0].size(), 1000U);
}

TEST(CallLog, LeavesOutWhatIsTooMuchAndCountsIt) {
  static CallLog::Clock::time_point now;
  now = CallLog::Clock::time_point(std::chrono::hours(1));
  CallLog log(+[] { return now; });
  const std::vector<CallRecord> many(100, Failed(absl::StatusCode::kInternal));
  EXPECT_EQ(Logged(log, many).size(), 5U);
  now += std::chrono::seconds(1);
  EXPECT_THAT(Logged(log, {many[0], many[0]}),
              ElementsAre(EndsWith("gone (95 such lines were left out before)"),
                          Not(HasSubstr("left out"))));
}

}  // namespace
}  // namespace prequel::call_log_test
