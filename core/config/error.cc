#include "core/config/error.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// The payload is the field itself.
constexpr char kPayload[] = "prequel/field";

}  // namespace

absl::Status FieldError(absl::StatusCode code, std::string_view field,
                        std::string_view description) {
  absl::Status status(code, absl::StrCat(std::string(field), ": ", std::string(description)));
  status.SetPayload(kPayload, absl::Cord(std::string(field)));
  return status;
}

absl::Status FieldError(std::string_view field, std::string_view description) {
  return FieldError(absl::StatusCode::kInvalidArgument, field, description);
}

std::optional<std::string> FieldOf(const absl::Status& status) {
  const auto payload = status.GetPayload(kPayload);
  if (!payload.has_value()) return std::nullopt;
  return std::string(*payload);
}

}  // namespace prequel
