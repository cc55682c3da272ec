#include "tests/style/function_length.h"

#include <string>

#include "tests/style/functions.h"

namespace prequel::style {

std::vector<Finding> CheckFunctionLengths(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!IsCpp(file.path)) return findings;
  for (const Function& function : FindFunctions(file.text)) {
    const int lines = function.last_line - function.first_line + 1;
    if (lines <= kMaxFunctionLines) continue;
    findings.push_back({file.path, function.first_line,
                        "this function has " + std::to_string(lines) + " lines, the limit is " +
                            std::to_string(kMaxFunctionLines) +
                            ": give its steps names and functions of their own"});
  }
  return findings;
}

}  // namespace prequel::style
