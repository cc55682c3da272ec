// Errors as clients see them: google.rpc.Status with one ErrorInfo, and field violations.
#pragma once

#include <map>
#include <string>

#include "absl/status/status.h"
#include "core/config/field_error.h"  // IWYU pragma: export (FieldError, for readers)
#include "google/rpc/status.pb.h"

namespace prequel::wire {

inline constexpr char kErrorDomain[] = "prequel";
// Metadata of an error about a sequence number: the one that is due.
inline constexpr char kExpectedSequence[] = "expected_sequence";
// Metadata of a request beyond a quota of its caller or of its model: which quota.
inline constexpr char kQuota[] = "quota";
// Metadata of a request for which there is no memory: of which budget.
inline constexpr char kBudget[] = "budget";

// The stable reason that programs switch on, UPPER_SNAKE_CASE.
std::string ReasonOf(const absl::Status& status);

// REQUIRES: !status.ok(). When the status names a field, it becomes a BadRequest violation.
google::rpc::Status ErrorToProto(const absl::Status& status,
                                 const std::map<std::string, std::string>& metadata);

}  // namespace prequel::wire
