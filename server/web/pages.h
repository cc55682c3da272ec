// What the HTTP side answers: metrics and health.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "server/web/http_server.h"

namespace prequel {

struct HttpPages {
  std::function<std::string()> metrics;  // GET /metrics
  // GET /v2/health/ready: 200 when empty, else 503 and why, as "error" beside "ready". GET
  // /v2/health/live is always 200. Both answer as the open inference protocol has it:
  // {"live":true}, {"ready":true}.
  std::function<std::string()> obstacle;
  // Whether a caller may see the metrics. Health is for everybody.
  std::function<absl::Status(const Credentials&)> may_see_metrics;
};

// AnswerPage is nothing for a path that is neither /metrics nor one of health; 405 for other
// methods than GET and HEAD. Refusals are those of server/web/error_answer.h.
std::optional<HttpAnswer> AnswerPage(const HttpPages& pages, const HttpRequest& request);

}  // namespace prequel
