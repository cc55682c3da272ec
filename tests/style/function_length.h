#pragma once

#include <string_view>
#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

inline constexpr int kMaxFunctionLines = 60;

// A function's lines, from the first of its head to its closing brace.
struct FunctionSpan {
  int first_line = 0;
  int last_line = 0;
};

// The functions defined in a piece of C++, found by matching braces: a brace opens a function when
// what stands before it ends like a parameter list (and const, noexcept, -> type, initialisers...)
// and is not the head of a namespace, class or initialiser. Lambdas and local classes count as
// part of the function around them. A heuristic: macros that hide braces fool it.
std::vector<FunctionSpan> FindFunctions(std::string_view cpp);

std::vector<Finding> CheckFunctionLengths(const SourceFile& file);

}  // namespace prequel::style
