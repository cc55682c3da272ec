// Names of models, and the patterns of a policy that they fit.
#pragma once

#include <string_view>

namespace prequel {

// Of at most 128 lower-case letters, digits, '-' and '*', which stands for anything.
bool IsModelPattern(std::string_view text);

// Whether all of `model` fits. Of a pattern in its place: whether all that fits it fits `pattern`.
bool FitsPattern(std::string_view pattern, std::string_view model);

// "moons" of "models/moons" and of "moons": requests name a model in either way.
std::string_view WithoutCollection(std::string_view model);

}  // namespace prequel
