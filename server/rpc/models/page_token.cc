#include "server/rpc/models/page_token.h"

#include "absl/strings/escaping.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

constexpr std::string_view kVersion = "1:";

}  // namespace

std::string PageTokenAfter(std::string_view last_name) {
  return absl::WebSafeBase64Escape(std::string(kVersion) + std::string(last_name));
}

absl::StatusOr<std::string> NameBeforePage(std::string_view token) {
  if (token.empty()) return std::string();
  std::string text;
  const bool decoded = absl::WebSafeBase64Unescape({token.data(), token.size()}, &text);
  if (!decoded || !text.starts_with(kVersion)) {
    return FieldError("page_token", "must be the next_page_token of an earlier answer");
  }
  return text.substr(kVersion.size());
}

}  // namespace prequel
