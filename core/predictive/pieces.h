// Long queries, cut into pieces.
#pragma once

#include <functional>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// Pieces of a query may be cut anywhere: since each row is asked about as the next one, the answer
// is the same.
struct Pieces {
  Index rows = 256;  // at most, at a time
  // `proceed` is asked between pieces, before a posterior is factorised to draw from, and every now
  // and then between draws: what else than OK it says ends the work. Empty: OK.
  std::function<absl::Status()> proceed;
};

}  // namespace prequel
