#include "core/posteriors/posterior_defaults.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"

namespace prequel {

absl::Status CheckParams(Index params, Index limit, std::string_view remedy) {
  if (params <= limit) return absl::OkStatus();
  return FieldError("config.model", absl::StrCat("has ", params, " parameters; at most ", limit,
                                                 " ", std::string(remedy)));
}

absl::Status PosteriorDefaults::CheckSize(Index params) {
  return CheckParams(params, ConfigLimits::kMaxParameters, "are allowed: use a smaller network");
}

}  // namespace prequel
