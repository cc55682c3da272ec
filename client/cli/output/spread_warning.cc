#include "client/cli/output/spread_warning.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/cli/output/table.h"
#include "client/queries.h"

namespace prequel::cli {
namespace {

constexpr double kMostCrps = 3;  // of the mean absolute error
constexpr double kCrpsPerWidth = 0.29;

}  // namespace

std::string SpreadWarning(const std::string& model, const v1::Scores& scores) {
  const std::optional<double> mae = client::FindScore(scores, "mae");
  if (!mae.has_value() || !(*mae > 0)) return "";
  const double crps = client::FindScore(scores, "crps").value_or(0) / *mae;
  const double rmse = client::FindScore(scores, "rmse").value_or(0) / *mae;
  if (rmse > std::clamp(0.3 * std::sqrt(scores.examples()), 10.0, 100.0)) {
    return absl::StrCat(
        "warning: a few predictions of ", model, " are absurd: the root mean square of its errors ",
        "is ", Number(rmse),
        " times their mean. Look for rows with inputs or targets far from all others; a "
        "smaller encoding.clip holds inputs nearer, and counts are taken more lightly by "
        "--likelihood negative_binomial than by poisson\n");
  }
  if (crps > kMostCrps) {
    return absl::StrCat("warning: the predictions of ", model, " are about ",
                        Number(crps / kCrpsPerWidth),
                        " times as wide as their errors. Learn more rows, or try a larger "
                        "--prior-precision\n");
  }
  return "";
}

}  // namespace prequel::cli
