#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// Files of the product whose name, without its extension, another room has as well: a reader who
// searches for `moments.h` is to find one. `main` is what every program has.
std::vector<Finding> CheckBasenames(const std::vector<SourceFile>& tree);

}  // namespace prequel::style
