// What a Cholesky factor C of S = C Cᵀ says of S.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// log|S|. Only the lower triangle of `factor` is read, here and below.
double LogDeterminant(ConstMatrixRef factor);

// tr(S⁻¹) = ‖C⁻¹‖²_F. `scratch` is overwritten.
double TraceOfInverse(ConstMatrixRef factor, Matrix& scratch);

}  // namespace prequel
