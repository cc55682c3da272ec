// What the services tell about their calls, for metrics and the audit trail.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"

namespace prequel {

// The principal of a caller that is not known.
inline constexpr std::string_view kUnknownPrincipal = "unknown";

// One call of any method that has ended. What it points to lives as long as OnCall runs.
struct CallRecord {
  std::string_view method;  // "Learn": from a small fixed set
  // Who called, as the policy named it when the call began: "anonymous" without a policy,
  // kUnknownPrincipal for a caller that is not in it.
  std::string_view principal;
  // What the call was about, as the caller named it: "models/moons", or the id of a model to be
  // made; the one named last by a stream; empty when none was named. Anything may stand here.
  std::string_view resource;
  // The caller's name for the call (request_id.h); empty when it gave none.
  std::string_view request_id;
  absl::StatusCode code = absl::StatusCode::kOk;
  std::string_view message;  // of an error
  std::chrono::system_clock::time_point start;
  std::chrono::nanoseconds duration{0};  // until its answer was handed to gRPC
  // Bytes of all its messages, as they are serialized; an answer that is an error has none.
  std::int64_t request_bytes = 0, response_bytes = 0;
  std::int64_t rows = 0;  // of its minibatches that were learned or predicted
};

// Thread-safe; must not block.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  // MayBegin says whether such a call may begin, or a stream go on: an error is what it is answered
  // with.
  virtual absl::Status MayBegin(std::string_view /*method*/) const { return absl::OkStatus(); }
  // OnCall is called once for every call, just before its answer is handed to gRPC.
  virtual void OnCall(const CallRecord&) {}
};

// Each observer is told of every call; all outlive the services.
using CallObservers = std::vector<CallObserver*>;

}  // namespace prequel
