// What a column of a file becomes as an input of a model.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/data/schema/column_summary.h"
#include "prequel/v1/config.pb.h"

namespace prequel::client {

// INVALID_ARGUMENT naming line and column for a column that is nearly one of numbers, or one of
// dates, and has cells that cannot be read as such: separators of thousands, decimal commas, units,
// days and months that could be either, words between numbers, numbers too large. `otherwise` ends
// the advice: what to do with a column that is meant to be so.
absl::Status CheckReadable(const std::string& name, const ColumnSummary& summary,
                           const std::string& otherwise);

// The form of all its values, if there is one, and only one order of day and month.
std::optional<MomentForm> MomentFormOf(const ColumnSummary& summary);

struct FeatureChoice {
  v1::Feature feature;
  std::string note;  // what a person should know; mostly nothing
};

// Numbers are numeric, and allow missing values where the column has some; dates and times are
// numeric as AppendMoment has it; anything else, and everything `as_text`, is categorical: a table
// of as many slots as there are texts and an eighth more, at least two, at most 256 in all; more
// than those that are met first are hashed into 64 columns. Errors as CheckReadable, and for texts
// longer than a category may be. REQUIRES a value.
absl::StatusOr<FeatureChoice> ChooseFeature(const std::string& name, const ColumnSummary& summary,
                                            bool as_text);

}  // namespace prequel::client
