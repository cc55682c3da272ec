#include "core/posteriors/part_sizes.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/config/field_error.h"
#include "core/config/learner_config.h"

namespace prequel {

void PartSizes::Add(Index width) {
  entries_ += static_cast<double>(width) * static_cast<double>(width);
  widest_ = std::max(widest_, width);
}

absl::Status PartSizes::Check(std::string_view family, Index most) const {
  const std::string name(family);
  if (widest_ > most) {
    return FieldError(
        "config.model",
        absl::StrCat("has a layer that posterior \"", name, "\" needs a matrix of ", widest_,
                     " rows for; at most ", most,
                     " are allowed: use posterior \"diagonal\" or a smaller network"));
  }
  if (entries_ > ConfigLimits::kMaxPartEntries) {
    return FieldError("config.model",
                      absl::StrFormat("has layers of which posterior \"%s\" holds %.3g numbers; at "
                                      "most %.3g are allowed: use posterior \"diagonal\" or a "
                                      "smaller network",
                                      name, entries_, ConfigLimits::kMaxPartEntries));
  }
  return absl::OkStatus();
}

}  // namespace prequel
