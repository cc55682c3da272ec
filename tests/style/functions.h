#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace prequel::style {

// A function that is defined, from the first line of its head to that of its closing brace.
struct Function {
  int first_line = 0;
  int last_line = 0;
  std::string head;   // what stands before its brace, comments and literals blanked out
  std::string scope;  // "prequel::wire::": the namespaces around it
};

// In a scope: a namespace without a name.
inline constexpr std::string_view kAnonymous = "(anonymous)";

// The functions defined in a piece of C++, found by matching braces: a brace opens a function when
// what stands before it ends like a parameter list (and const, noexcept, -> type, initialisers...)
// and is not the head of a namespace, class or initialiser. Lambdas and local classes count as
// part of the function around them. A heuristic: macros that hide braces fool it.
std::vector<Function> FindFunctions(std::string_view cpp);

}  // namespace prequel::style
