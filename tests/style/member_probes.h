#pragma once

#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// Every `requires { … }` or `requires (T t) { … }` outside the definition of a concept: it asks for
// a member by its name, and finds another of that name as well. What a part must say it says in
// its concept. A clause that requires a concept (`requires Part<T>`) is none.
std::vector<Finding> CheckMemberProbes(const SourceFile& file);

}  // namespace prequel::style
