// What an error of the service says beyond its code, in the client's terms.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "google/rpc/status.pb.h"

namespace prequel::client {

struct FieldViolation {
  std::string field;  // a path such as "config.rule.options.passes"
  std::string description;
};

// ErrorDetails are the google.rpc details of an error; empty where the error carried no details.
struct ErrorDetails {
  std::string reason;  // ErrorInfo.reason, for example "MODEL_NOT_FOUND"
  std::map<std::string, std::string> metadata;
  std::vector<FieldViolation> violations;
};

// StatusFromProto keeps code and message, and the details as a payload for `DetailsOf`. A code that
// absl does not know becomes kUnknown. An OK status stays OK.
absl::Status StatusFromProto(const google::rpc::Status& status);

ErrorDetails DetailsOf(const absl::Status& status);

// Whether trying again may help: the server was not there, or does not know what became of a
// minibatch, or the connection broke in the middle of a call, which gRPC may call CANCELLED. (No
// call whose outcome is told is given up by this library.)
bool IsTransient(const absl::Status& status);

// Whether `status` is the outcome of a call (answered by the server or by the transport), as
// opposed to something this library refused before any call.
bool IsFromCall(const absl::Status& status);

}  // namespace prequel::client
