// Fixed quasi-random normals.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// HalfHypercube returns count × dimensions numbers: half of an antithetic Latin hypercube. With −z,
// every column has one value in each of 2·count equally likely strata of N(0, 1). Whitened: the
// rows' second moments are I when 2·dimensions ≤ count, and at least have a diagonal of 1 when
// there are too few rows for that.
Matrix HalfHypercube(Index count, Index dimensions);

}  // namespace prequel
