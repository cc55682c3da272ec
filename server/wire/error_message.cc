#include "server/wire/error_message.h"

#include <optional>

#include "core/config/field_error.h"
#include "google/rpc/error_details.pb.h"
#include "server/wire/text.h"

namespace prequel::wire {

std::string ReasonOf(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return "INVALID_FIELD";
    case absl::StatusCode::kNotFound:
      return "MODEL_NOT_FOUND";
    case absl::StatusCode::kAlreadyExists:
      return "MODEL_EXISTS";
    case absl::StatusCode::kResourceExhausted:
      return "LIMIT_REACHED";
    case absl::StatusCode::kDeadlineExceeded:
      return "DEADLINE_PASSED";
    case absl::StatusCode::kUnavailable:
      return "NOT_SERVING";
    case absl::StatusCode::kUnknown:
      return "OUTCOME_UNKNOWN";
    case absl::StatusCode::kDataLoss:
      return "STORED_DATA_DAMAGED";
    case absl::StatusCode::kFailedPrecondition:
      return "FAILED_PRECONDITION";
    case absl::StatusCode::kOutOfRange:
      return "REVISION_OUT_OF_RANGE";
    case absl::StatusCode::kCancelled:
      return "CANCELLED";
    case absl::StatusCode::kAborted:
      return "ABORTED";
    case absl::StatusCode::kUnauthenticated:
      return "UNAUTHENTICATED";
    case absl::StatusCode::kPermissionDenied:
      return "PERMISSION_DENIED";
    case absl::StatusCode::kUnimplemented:
      return "UNIMPLEMENTED";
    default:
      return "INTERNAL";
  }
}

namespace {

// ReasonOf tells two reasons apart that have one code, by what comes with the error.
std::string ReasonOf(const absl::Status& status,
                     const std::map<std::string, std::string>& metadata) {
  if (absl::IsOutOfRange(status) && metadata.contains(kExpectedSequence)) {
    return "SEQUENCE_OUT_OF_RANGE";
  }
  if (absl::IsResourceExhausted(status) && metadata.contains(kQuota)) return "QUOTA_EXHAUSTED";
  if (absl::IsResourceExhausted(status) && metadata.contains(kBudget)) return "MEMORY_EXHAUSTED";
  return wire::ReasonOf(status);
}

}  // namespace

google::rpc::Status ErrorToProto(const absl::Status& status,
                                 const std::map<std::string, std::string>& metadata) {
  google::rpc::Status proto;
  proto.set_code(static_cast<int>(status.code()));
  proto.set_message(Readable(std::string(status.message())));
  google::rpc::ErrorInfo info;
  info.set_reason(ReasonOf(status, metadata));
  info.set_domain(kErrorDomain);
  for (const auto& [key, value] : metadata) (*info.mutable_metadata())[key] = Readable(value);
  const std::optional<std::string> field = FieldOf(status);
  if (field) (*info.mutable_metadata())["field"] = Readable(*field);
  proto.add_details()->PackFrom(info);
  if (field) {
    google::rpc::BadRequest bad_request;
    auto* violation = bad_request.add_field_violations();
    violation->set_field(Readable(*field));
    violation->set_description(proto.message());
    proto.add_details()->PackFrom(bad_request);
  }
  return proto;
}

}  // namespace prequel::wire
