#pragma once

#include <string_view>
#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

inline constexpr int kMaxFolderFiles = 26;  // about a dozen nouns: a room one can see at a glance

// Folders that hold a set of alternatives, one file each, and grow with it.
const std::vector<std::string_view>& SetsOfAlternatives();

// Every folder of core, server or client with more than kMaxFolderFiles .h and .cc files of its
// own, unless it is one of `sets`.
std::vector<Finding> CheckFolderSizes(const std::vector<SourceFile>& tree,
                                      const std::vector<std::string_view>& sets);

}  // namespace prequel::style
