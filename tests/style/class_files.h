#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/style/source_file.h"

namespace prequel::style {

// The class whose member a function is, by its head: "Engine::Impl" of
// "absl::Status Engine::Impl::Stop(int when) const", "" of a function of no class.
std::string ClassOf(std::string_view head);

// Every .cc file that defines members of a class of which another .cc file defines some, too: a
// class that needs two sources is two nouns. A nested class is a part of the one around it, unless
// some header defines it by its full name (`class Engine::Impl {`). What is in an anonymous
// namespace is nobody else's, whatever its name. A heuristic: it takes a namespace that qualifies
// the name of a function being defined for a class.
std::vector<Finding> CheckClassFiles(const std::vector<SourceFile>& tree);

}  // namespace prequel::style
