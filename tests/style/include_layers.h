#pragma once

#include <string_view>
#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// Who may include whom. `folder` is a path prefix, the most specific of the table decides;
// `allowed` are prefixes of what stands between the quotes or brackets of an #include.
struct Layer {
  std::string_view folder;
  std::string_view purpose;
  std::vector<std::string_view> allowed;
  std::vector<std::string_view> denied = {};  // exceptions from `allowed`
  bool operating_system = true;               // <unistd.h>, <sys/stat.h>
};

// The table of design: core knows nobody, wire is the only place where core meets proto, and
// nothing looks upward.
const std::vector<Layer>& Layers();

// Every #include of `file` that its layer does not allow.
std::vector<Finding> CheckIncludes(const SourceFile& file);

}  // namespace prequel::style
