// Health and metrics, and what is refused there.
#include "server/web/pages.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "server/web/error_answer.h"

namespace prequel::pages_test {
namespace {

class PagesTest : public ::testing::Test {
 protected:
  HttpAnswer Ask(const std::string& path, const std::string& method = "GET") const {
    HttpRequest request;
    request.path = path;
    request.method = method;
    const std::optional<HttpAnswer> answer =
        AnswerPage({.metrics = [] { return std::string("all"); },
                    .obstacle = [this] { return obstacle_; },
                    .may_see_metrics = [this](const Credentials&) { return may_see_metrics_; }},
                   request);
    EXPECT_TRUE(answer.has_value()) << path;
    return answer.value_or(HttpAnswer());
  }
  static std::string ErrorOf(const HttpAnswer& answer) {
    EXPECT_EQ(answer.type, "application/json");
    return nlohmann::json::parse(answer.body).at("error");
  }

  std::string obstacle_;
  absl::Status may_see_metrics_;
};

TEST_F(PagesTest, WhatIsRefusedIsJson) {
  may_see_metrics_ = absl::UnauthenticatedError("who \"are\" you?");
  EXPECT_EQ(Ask("/metrics").status, 401U);
  EXPECT_EQ(Ask("/metrics").authenticate, "Bearer");
  EXPECT_EQ(ErrorOf(Ask("/metrics")), "who \"are\" you?");
  may_see_metrics_ = absl::PermissionDeniedError("no");
  EXPECT_EQ(Ask("/metrics").status, 403U);
  EXPECT_EQ(ErrorOf(Ask("/metrics")), "no");
  for (const char* path : {"/metrics", "/v2/health/live", "/v2/health/ready"}) {
    const HttpAnswer answer = Ask(path, "POST");
    EXPECT_EQ(answer.status, 405U);
    EXPECT_EQ(answer.allow, "GET, HEAD");
    EXPECT_EQ(ErrorOf(answer), "only GET, HEAD");
  }
}

TEST_F(PagesTest, HealthSaysWhatIsInTheWay) {
  EXPECT_EQ(Ask("/v2/health/ready").body, "{\"ready\":true}\n");
  EXPECT_EQ(Ask("/v2/health/live").body, "{\"live\":true}\n");
  obstacle_ = "the disk “/data”\nis full";
  const HttpAnswer answer = Ask("/v2/health/ready");
  EXPECT_EQ(answer.status, 503U);
  EXPECT_EQ(ErrorOf(answer), obstacle_);
  EXPECT_EQ(nlohmann::json::parse(answer.body).at("ready"), false);
}

TEST_F(PagesTest, AnErrorNeedNotBeUtf8) {
  EXPECT_EQ(ErrorOf(ErrorAnswer(400, "a\xff")), "a\xEF\xBF\xBD");
}

}  // namespace
}  // namespace prequel::pages_test
