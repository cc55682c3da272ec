#include "client/call_error.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/types/optional.h"
#include "google/rpc/error_details.pb.h"

namespace prequel::client {
namespace {

constexpr char kPayload[] = "type.googleapis.com/google.rpc.Status";

absl::StatusCode CodeOf(int code) {
  const bool known = code >= 0 && code <= static_cast<int>(absl::StatusCode::kUnauthenticated);
  return known ? static_cast<absl::StatusCode>(code) : absl::StatusCode::kUnknown;
}

}  // namespace

absl::Status StatusFromProto(const google::rpc::Status& status) {
  absl::Status result(CodeOf(status.code()), status.message());
  if (!result.ok()) result.SetPayload(kPayload, absl::Cord(status.SerializeAsString()));
  return result;
}

ErrorDetails DetailsOf(const absl::Status& status) {
  ErrorDetails details;
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayload);
  google::rpc::Status proto;
  if (!payload || !proto.ParseFromString(std::string(*payload))) return details;
  for (const google::protobuf::Any& any : proto.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (any.UnpackTo(&info)) {
      details.reason = info.reason();
      details.metadata = {info.metadata().begin(), info.metadata().end()};
    } else if (any.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        details.violations.push_back({violation.field(), violation.description()});
      }
    }
  }
  return details;
}

bool IsTransient(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsCancelled(status) ||
         DetailsOf(status).reason == "OUTCOME_UNKNOWN";
}

bool IsFromCall(const absl::Status& status) { return status.GetPayload(kPayload).has_value(); }

}  // namespace prequel::client
