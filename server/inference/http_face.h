// The open inference protocol by HTTP: /v2 and what is below it, except for health.
//
//   GET   /v2                                       the server
//   GET   /v2/models/MODEL[/versions/REVISION]      the model
//   GET   /v2/models/MODEL[/versions/REVISION]/ready
//   POST  /v2/models/MODEL[/versions/REVISION]/infer
#pragma once

#include <cstdint>
#include <utility>

#include "server/inference/inference_face.h"
#include "server/rpc/call.h"
#include "server/web/http_server.h"

namespace prequel {

// Thread-safe.
class HttpFace {
 public:
  // `face` outlives this, and every request.
  HttpFace(const InferenceFace& face, CallParts parts, std::int64_t max_body_bytes)
      : face_(face), parts_(std::move(parts)), max_body_bytes_(max_body_bytes) {}

  // LimitOf lets a caller that is not known bring no large body; it is answered that it is not
  // known.
  BodyLimit LimitOf(const HttpRequest& head) const;

  // 404 for any other path. Errors are {"error": …}, under the status that goes with their code.
  void Answer(HttpRequest request, const HttpRespond& respond) const;

 private:
  void Get(const HttpRequest& request, const char* method, const HttpRespond& respond) const;
  void Infer(HttpRequest request, const HttpRespond& respond) const;
  Call CallOf(const HttpRequest& request, const char* method) const;

  const InferenceFace& face_;
  const CallParts parts_;
  const std::int64_t max_body_bytes_;
};

}  // namespace prequel
