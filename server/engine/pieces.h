// Long queries, cut into pieces.
#pragma once

#include "core/learner/cost.h"
#include "core/predictive/pieces.h"
#include "core/predictive/query_set.h"
#include "server/engine/still_wanted.h"

namespace prequel {

// Of rows that are answered in some twentieth of a second, by estimate, or in as long as it takes
// to prepare for the query.
Pieces PiecesOf(const ModelCost& cost, const QuerySet& queries, const StillWanted& proceed);

}  // namespace prequel
