// Names the queries that a predictive answers.
#pragma once

#include <string>
#include <vector>

#include "core/predictive/queries/asked.h"

namespace prequel {

// QueryNames returns the queries that such a predictive answers; if `by_default`, those of them
// that it answers unasked.
std::vector<std::string> QueryNames(const Asked& asked, bool by_default);

}  // namespace prequel
