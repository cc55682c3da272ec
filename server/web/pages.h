// What the HTTP side answers: metrics and health.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "server/web/http_server.h"

namespace prequel {

struct HttpPages {
  std::function<std::string()> metrics;  // GET /metrics
  // GET /v2/health/ready: 200 when empty, else 503 and why. GET /v2/health/live is always 200.
  std::function<std::string()> obstacle;
  // Whether a caller may see the metrics. Health is for everybody.
  std::function<absl::Status(const Credentials&)> may_see_metrics;
};

// Anything else is 404.
HttpAnswer AnswerPage(const HttpPages& pages, const HttpRequest& request);

}  // namespace prequel
