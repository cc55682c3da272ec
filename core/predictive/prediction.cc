#include "core/predictive/prediction.h"

#include "absl/strings/str_cat.h"
#include "core/config/error.h"

namespace prequel {

absl::Status CheckPredictOptions(const PredictOptions& options) {
  constexpr std::size_t kMaxLevels = 99;
  constexpr int kMaxSamples = 10000;
  if (options.quantiles.size() > kMaxLevels) {
    return FieldError("options.quantiles", absl::StrCat("has ", options.quantiles.size(),
                                                        " levels; at most ", kMaxLevels));
  }
  double previous = 0;
  for (std::size_t i = 0; i < options.quantiles.size(); ++i) {
    const double level = options.quantiles[i];
    if (!(level > previous && level < 1)) {
      return FieldError(
          absl::StrCat("options.quantiles[", i, "]"),
          absl::StrCat("is ", level, "; levels must increase strictly and lie in (0, 1)"));
    }
    previous = level;
  }
  if (options.samples < 0 || options.samples > kMaxSamples) {
    return FieldError("options.samples",
                      absl::StrCat("is ", options.samples, "; must be in [0, ", kMaxSamples, "]"));
  }
  return absl::OkStatus();
}

}  // namespace prequel
