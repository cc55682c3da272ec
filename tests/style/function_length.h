#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

inline constexpr int kMaxFunctionLines = 60;

std::vector<Finding> CheckFunctionLengths(const SourceFile& file);

}  // namespace prequel::style
