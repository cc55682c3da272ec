#include "server/rpc/resource_name.h"

#include "absl/strings/str_cat.h"
#include "server/wire/error_message.h"

namespace prequel {
namespace {

constexpr std::string_view kPrefix = "models/";

}  // namespace

absl::StatusOr<std::string> ModelIdOf(std::string_view name) {
  const std::string_view id = name.starts_with(kPrefix) ? name.substr(kPrefix.size()) : "";
  if (id.empty() || id.find('/') != id.npos) {
    return FieldError("name", absl::StrCat("must be models/{model}, got ", Quoted(name)));
  }
  return std::string(id);
}

std::string ModelNameOf(std::string_view id) { return std::string(kPrefix) + std::string(id); }

}  // namespace prequel
