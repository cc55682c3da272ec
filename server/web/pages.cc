#include "server/web/pages.h"

#include <utility>

namespace prequel {
namespace {

HttpAnswer Text(unsigned status, std::string body) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = std::move(body.append("\n"));
  return answer;
}

HttpAnswer Metrics(const HttpPages& pages, const Credentials& credentials) {
  const absl::Status status = pages.may_see_metrics(credentials);
  HttpAnswer answer;
  if (!status.ok()) {
    const bool unknown = absl::IsUnauthenticated(status);
    answer = Text(unknown ? 401 : 403, std::string(status.message()));
    if (unknown) answer.authenticate = "Bearer";
    return answer;
  }
  answer.body = pages.metrics();
  answer.type = "text/plain; version=0.0.4; charset=utf-8";
  return answer;
}

}  // namespace

HttpAnswer AnswerPage(const HttpPages& pages, const HttpRequest& request) {
  if (request.path == "/metrics") return Metrics(pages, request.credentials);
  if (request.path == "/v2/health/live") return Text(200, "ok");
  if (request.path != "/v2/health/ready") return Text(404, "not found");
  const std::string obstacle = pages.obstacle();
  return obstacle.empty() ? Text(200, "ok") : Text(503, obstacle);
}

}  // namespace prequel
