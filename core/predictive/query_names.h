// Which queries a predictive answers.
#pragma once

#include <string>
#include <vector>

#include "core/predictive/queries/asked.h"

namespace prequel {

// The names of the queries that such a predictive answers; of those, if `by_default`, the ones that
// it answers unasked.
std::vector<std::string> QueryNames(const Asked& asked, bool by_default);

}  // namespace prequel
