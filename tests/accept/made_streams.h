// Made streams of a linear model whose weights follow a path: y = wᵢ·xᵢ and noise of deviation 0.5,
// or a class of the log odds wᵢ·xᵢ.
#pragma once

#include <cstdint>

#include "core/config/batch.h"
#include "core/config/learner_config.h"

namespace prequel::accept {

constexpr Index kMadeInputs = 5, kMadeRows = 6000;

// The weights of row i.
using WeightPath = Vector (*)(std::uint64_t seed, Index i);

Vector StillWeights(std::uint64_t seed, Index i);
Vector SwitchingWeights(std::uint64_t seed, Index i);  // anew every 1,000 rows
Vector RotatingWeights(std::uint64_t seed, Index i);   // by a full circle in 4,000 rows

Batch MadeRows(WeightPath path, bool classes, std::uint64_t seed);
// Nothing but the likelihood is configured.
LearnerConfig MadeConfig(bool classes);

}  // namespace prequel::accept
