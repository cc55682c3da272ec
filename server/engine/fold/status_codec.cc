#include "server/engine/fold/status_codec.h"

#include <cstdint>
#include <cstring>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {
namespace {

constexpr std::size_t kHead = 1 + 2;  // code, length of the field

}  // namespace

std::string EncodeStatus(const absl::Status& status) {
  const std::string field = FieldOf(status).value_or("");
  const auto length = static_cast<std::uint16_t>(field.size());
  std::string bytes(1, static_cast<char>(status.code()));
  bytes.append(reinterpret_cast<const char*>(&length), sizeof(length));
  return bytes.append(field, 0, length).append(status.message().data(), status.message().size());
}

absl::Status DecodeStatus(std::string_view bytes, absl::Status* status) {
  std::uint16_t length = 0;
  if (bytes.size() >= kHead) std::memcpy(&length, bytes.data() + 1, sizeof(length));
  absl::Status lost = absl::DataLossError("not a stored error");
  if (bytes.size() < kHead + length || bytes[0] < 1 || bytes[0] > 16) return lost;
  const auto code = static_cast<absl::StatusCode>(bytes[0]);
  const std::string field(bytes.substr(kHead, length));
  const std::string_view message = bytes.substr(kHead + length);
  const std::string prefix = absl::StrCat(field, ": ");
  if (!field.empty()) {
    if (!message.starts_with(prefix)) return lost;
    *status = FieldError(code, field, message.substr(prefix.size()));
  } else {
    *status = absl::Status(code, absl::string_view(message.data(), message.size()));
  }
  return absl::OkStatus();
}

}  // namespace prequel
