// Several names in one flag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace prequel::cli {

// The names in `text`, which commas separate. One that has a comma, or begins with a quotation
// mark, stands within quotation marks, as in a CSV file: a,"b,c","say ""d""". Empty text has no
// name. A usage error names the `flag` whose quotation mark is not closed.
absl::StatusOr<std::vector<std::string>> NameList(std::string_view flag, std::string_view text);

}  // namespace prequel::cli
