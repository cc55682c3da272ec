#include "server/web/pages.h"

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

HttpAnswer Metrics(const HttpPages& pages, const Credentials& credentials) {
  const absl::Status status = pages.may_see_metrics(credentials);
  HttpAnswer answer;
  if (!status.ok()) {
    const bool unknown = absl::IsUnauthenticated(status);
    answer = TextAnswer(unknown ? 401 : 403, std::string(status.message()));
    if (unknown) answer.authenticate = "Bearer";
    return answer;
  }
  answer.body = pages.metrics();
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  return answer;
}

HttpAnswer Json(unsigned status, std::string json) {
  HttpAnswer answer = TextAnswer(status, std::move(json));
  answer.type = "application/json";
  return answer;
}

HttpAnswer Ready(const HttpPages& pages) {
  const std::string obstacle = pages.obstacle();
  if (obstacle.empty()) return Json(200, "{\"ready\":true}");
  return Json(503, absl::StrCat("{\"ready\":false,\"error\":\"", absl::CEscape(obstacle), "\"}"));
}

}  // namespace

HttpAnswer TextAnswer(unsigned status, std::string line) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(line.append("\n"));
  return answer;
}

HttpAnswer MethodNotAllowed(std::string allow) {
  HttpAnswer answer = TextAnswer(405, "only " + allow);
  answer.allow = std::move(allow);
  return answer;
}

std::optional<HttpAnswer> AnswerPage(const HttpPages& pages, const HttpRequest& request) {
  const std::string& path = request.path;
  if (path != "/metrics" && path != "/v2/health/live" && path != "/v2/health/ready") {
    return std::nullopt;
  }
  if (request.method != "GET" && request.method != "HEAD") return MethodNotAllowed("GET, HEAD");
  if (path == "/metrics") return Metrics(pages, request.credentials);
  return path == "/v2/health/live" ? Json(200, "{\"live\":true}") : Ready(pages);
}

}  // namespace prequel
