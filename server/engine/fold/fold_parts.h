// The closed set of what a fold remembers of its records, beside the state that they led to. Adding
// a part is one new file and one word in FoldParts.
#pragma once

#include <tuple>

#include "server/engine/fold/fold_part.h"
#include "server/engine/fold/ledger.h"

namespace prequel {

template <FoldPart... Ps>
using FoldPartsOf = std::tuple<Ps...>;

// No part is rolled back: each says what has happened, not what is believed.
using FoldParts = FoldPartsOf<Ledger>;

}  // namespace prequel
