// Names of models, and the patterns of a policy that they fit.
#pragma once

#include <string_view>

namespace prequel {

// A pattern has at most 128 lower-case letters, digits, '-' and '*', which stands for anything.
bool IsModelPattern(std::string_view text);

// FitsPattern says whether all of `model` fits `pattern`. When `model` is a pattern itself: whether
// all that fits it fits `pattern`.
bool FitsPattern(std::string_view pattern, std::string_view model);

// "moons" of "models/moons" and of "moons": requests name a model in either way.
std::string_view WithoutCollection(std::string_view model);

}  // namespace prequel
