#include "core/rules/conjugate.h"

#include "core/config/field_error.h"

namespace prequel {

absl::Status Conjugate::CheckFor(const Setting& setting, const FullGaussian& /*prototype*/) {
  if (!setting.linear) return FieldError("config.rule", "\"conjugate\" needs model \"linear\"");
  if (setting.link != Link::kIdentity) {
    return FieldError("config.rule", "\"conjugate\" needs likelihood \"gaussian\"");
  }
  return absl::OkStatus();
}

}  // namespace prequel
