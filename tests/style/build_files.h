#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// Every .cc that no CMakeLists.txt or .cmake file names or globs: it is not compiled.
std::vector<Finding> CheckCompiled(const std::vector<SourceFile>& tree);

}  // namespace prequel::style
