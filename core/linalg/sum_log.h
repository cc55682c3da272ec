// Σ log x_i, at a fraction of a logarithm each.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// SumLog is right to a few 1e-16 of Σ |log x_i|. With x = 2ᵏ r, r in [1, 2),
// Σ log x = ln 2 Σ k + log Π r, and products of few enough r do not overflow. Not finite when an x
// is infinite, NaN or not positive; denormals count as such.
double SumLog(ConstVectorRef x);

}  // namespace prequel
