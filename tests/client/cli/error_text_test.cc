#include "client/cli/error_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "client/call_error.h"
#include "client/cli/session.h"
#include "google/rpc/error_details.pb.h"

namespace prequel::cli::error_text_test {
namespace {

constexpr char kServer[] = "127.0.0.1:8081";

google::rpc::Status Proto(int code, const std::string& message, const std::string& reason = "") {
  google::rpc::Status proto;
  proto.set_code(code);
  proto.set_message(message);
  if (!reason.empty()) {
    google::rpc::ErrorInfo info;
    info.set_reason(reason);
    proto.add_details()->PackFrom(info);
  }
  return proto;
}

absl::Status Call(int code, const std::string& message, const std::string& reason = "") {
  return client::StatusFromProto(Proto(code, message, reason));
}

TEST(ErrorTextTest, SaysWhatIsWrongAndWhatToDo) {
  EXPECT_EQ(ErrorText(Call(5, "no model 'models/m'", "MODEL_NOT_FOUND"), kServer),
            "prequel: no model 'models/m'; `prequel list` shows the models there are\n"
            "  [NOT_FOUND, MODEL_NOT_FOUND]\n");
}

TEST(ErrorTextTest, TransportErrorsAreTranslated) {
  EXPECT_EQ(ErrorText(Call(14, "failed to connect to all addresses; last error: …"), kServer),
            "prequel: no answer from 127.0.0.1:8081; is prequeld running there? "
            "--server or PREQUEL_SERVER names another address\n  [UNAVAILABLE]\n");
  EXPECT_EQ(ErrorText(Call(4, "Deadline Exceeded"), kServer),
            "prequel: 127.0.0.1:8081 did not answer in time; raise --timeout, or look at the "
            "server's load\n  [DEADLINE_EXCEEDED]\n");
}

TEST(ErrorTextTest, SaysWhyNoConnectionWasMade) {
  const auto text = [](const std::string& message, const std::string& server = "there:8081") {
    return ErrorText(Call(14, "failed to connect to all addresses; last error: " + message),
                     server);
  };
  EXPECT_NE(text("SSL routines::certificate verify failed").find("is not signed by who is trusted"),
            std::string::npos);
  EXPECT_NE(text("Hostname Verification Check failed.").find("--tls-server-name says which name"),
            std::string::npos);
  EXPECT_NE(text("SSL routines:OPENSSL_internal:WRONG_VERSION_NUMBER").find("leave --tls"),
            std::string::npos);
  EXPECT_NE(text("Socket closed").find("does it take TLS"), std::string::npos);
  setenv("http_proxy", "http://proxy:3128", 1);
  EXPECT_NE(text("Connection refused").find("The proxy of http_proxy=http://proxy:3128 stands"),
            std::string::npos);
  EXPECT_EQ(text("Connection refused", kServer).find("proxy"), std::string::npos);
  unsetenv("http_proxy");
}

TEST(ErrorTextTest, ListsFieldViolations) {
  google::rpc::Status proto = Proto(3, "the config is invalid", "INVALID_CONFIG");
  google::rpc::BadRequest bad;
  for (const char* field : {"config.rule.options.passes", "config.prior"}) {
    auto& violation = *bad.add_field_violations();
    violation.set_field(field);
    violation.set_description("must be positive");
  }
  proto.add_details()->PackFrom(bad);
  EXPECT_EQ(ErrorText(client::StatusFromProto(proto), kServer),
            "prequel: the config is invalid\n"
            "  config.rule.options.passes: must be positive\n"
            "  config.prior: must be positive\n"
            "  [INVALID_ARGUMENT, INVALID_CONFIG]\n");
}

TEST(ErrorTextTest, DoesNotSayTheSameTwice) {
  for (const char* description : {"must be positive", "config.prior: must be positive"}) {
    google::rpc::Status proto = Proto(3, "config.prior: must be positive");
    google::rpc::BadRequest bad;
    auto& violation = *bad.add_field_violations();
    violation.set_field("config.prior");
    violation.set_description(description);
    proto.add_details()->PackFrom(bad);
    EXPECT_EQ(ErrorText(client::StatusFromProto(proto), kServer),
              "prequel: config.prior: must be positive\n  [INVALID_ARGUMENT]\n");
  }
}

TEST(ErrorTextTest, LeavesAdviceToTheServerThatGivesIt) {
  EXPECT_EQ(
      ErrorText(Call(8, "too many calls are waiting; try again later", "LIMIT_REACHED"), kServer),
      "prequel: too many calls are waiting; try again later\n"
      "  [RESOURCE_EXHAUSTED, LIMIT_REACHED]\n");
}

TEST(ErrorTextTest, LocalErrors) {
  EXPECT_EQ(ErrorText(absl::InvalidArgumentError("f.csv line 3: odd"), kServer),
            "prequel: f.csv line 3: odd\n");
  EXPECT_EQ(ErrorText(UsageError("which inputs?"), kServer),
            "prequel: which inputs?; see `prequel --help`\n");
}

TEST(ExitCodeTest, TellsScriptsWhatHappened) {
  EXPECT_EQ(ExitCodeOf(absl::OkStatus()), kOk);
  EXPECT_EQ(ExitCodeOf(Call(3, "bad")), kRefused);
  EXPECT_EQ(ExitCodeOf(Call(13, "broken")), kRefused);
  EXPECT_EQ(ExitCodeOf(UsageError("bad")), kUsage);
  EXPECT_EQ(ExitCodeOf(Call(14, "gone")), kUnreachable);
  EXPECT_EQ(ExitCodeOf(Call(4, "slow")), kUnreachable);
  EXPECT_EQ(ExitCodeOf(absl::InvalidArgumentError("bad file")), kBadData);
  EXPECT_EQ(ExitCodeOf(ExitWith(kPartial)), kPartial);
  EXPECT_EQ(ExitCodeOf(ExitWith(kOk)), kOk);
  EXPECT_FALSE(HasMessage(ExitWith(kInterrupted)));
  EXPECT_TRUE(HasMessage(Call(3, "bad")));
}

}  // namespace
}  // namespace prequel::cli::error_text_test
