#include "server/web/pages.h"

#include <utility>

#include "server/web/error_answer.h"

namespace prequel {
namespace {

HttpAnswer Metrics(const HttpPages& pages, const Credentials& credentials) {
  const absl::Status status = pages.may_see_metrics(credentials);
  HttpAnswer answer;
  if (!status.ok()) {
    const bool unknown = absl::IsUnauthenticated(status);
    answer = ErrorAnswer(unknown ? 401 : 403, std::string(status.message()));
    if (unknown) answer.authenticate = "Bearer";
    return answer;
  }
  answer.body = pages.metrics();
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  return answer;
}

HttpAnswer Json(std::string json) {
  HttpAnswer answer;
  answer.body = std::move(json.append("\n"));
  answer.type = "application/json";
  return answer;
}

HttpAnswer Ready(const HttpPages& pages) {
  const std::string obstacle = pages.obstacle();
  if (obstacle.empty()) return Json("{\"ready\":true}");
  HttpAnswer answer = ErrorAnswer(503, obstacle);
  answer.body.replace(0, 1, "{\"ready\":false,");
  return answer;
}

}  // namespace

std::optional<HttpAnswer> AnswerPage(const HttpPages& pages, const HttpRequest& request) {
  const std::string& path = request.path;
  if (path != "/metrics" && path != "/v2/health/live" && path != "/v2/health/ready") {
    return std::nullopt;
  }
  if (request.method != "GET" && request.method != "HEAD") return MethodNotAllowed("GET, HEAD");
  if (path == "/metrics") return Metrics(pages, request.credentials);
  return path == "/v2/health/live" ? Json("{\"live\":true}") : Ready(pages);
}

}  // namespace prequel
