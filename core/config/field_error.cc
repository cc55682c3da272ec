#include "core/config/field_error.h"

#include <cstddef>

#include "absl/strings/cord.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

// The payload is the field itself.
constexpr char kPayload[] = "prequel/field";

std::string Escaped(std::string_view text) { return absl::Utf8SafeCEscape(std::string(text)); }

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

std::string Quoted(std::string_view text) {
  constexpr std::size_t kShown = 40;
  if (text.size() <= kShown) return absl::StrCat("\"", Escaped(text), "\"");
  std::size_t cut = kShown;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0) == 0x80) --cut;
  return absl::StrCat("\"", Escaped(text.substr(0, cut)), "…\"");
}

}  // namespace prequel
