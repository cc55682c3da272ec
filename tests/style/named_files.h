#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// Files that a page names in `code` and that are not there. A page may leave out the folders before
// a path, give two endings at once (`fold/ledger.{h,cc}`), and write NAME for any name.
std::vector<Finding> CheckNamedFiles(const std::vector<SourceFile>& tree);

}  // namespace prequel::style
