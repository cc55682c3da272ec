#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

inline constexpr int kMaxFileLines = 400;
inline constexpr int kMaxReadmeLines = 200;
inline constexpr int kMaxColumns = 100;  // code points, so that θ counts as one

// Programs are at most kMaxFileLines long and kMaxColumns wide.
std::vector<Finding> CheckLengths(const SourceFile& file);

// A README, which somebody reads to find the way, has at most kMaxReadmeLines.
std::vector<Finding> CheckPages(const SourceFile& file);

// No file or folder is named after a drawer (utils, common, helpers, misc, manager).
std::vector<Finding> CheckNames(const SourceFile& file);

// No tabs, no trailing spaces in programs, a newline at the end, no notes to self.
std::vector<Finding> CheckText(const SourceFile& file);

// The first line of code in a header is #pragma once.
std::vector<Finding> CheckPragmaOnce(const SourceFile& file);

}  // namespace prequel::style
