// Two moons, and the best that anybody can predict of them.
#pragma once

#include <cstdint>

#include "core/config/batch.h"

namespace prequel::accept {

inline constexpr Index kMoonsRows = 19200;

// The rows of client/data's stream of this seed, while the plane turns `turns` times.
Batch MoonsRows(std::uint64_t seed, double turns);

// Mean NLL in nats of rows that do not turn, by the classes' true densities: who predicts better
// than this is lucky. It depends on the draw: 0.0774 in the mean of twenty seeds, with a deviation
// of 0.0027.
double BestMoonsNll(const Batch& rows);

}  // namespace prequel::accept
