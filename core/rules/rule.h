// The closed set of rules. Adding one is one new file and one word in the variant.
#pragma once

#include <variant>

#include "core/rules/conjugate.h"
#include "core/rules/rvga.h"

namespace prequel {

using Rule = std::variant<Rvga, Conjugate>;

}  // namespace prequel
