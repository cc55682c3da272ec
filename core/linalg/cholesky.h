// A Cholesky factor C of S = C Cᵀ, and what it says of S.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// FactorInPlace puts C in the place of S, of which only the lower triangle is read and written;
// false, with S lost, when S is not positive definite or not finite.
bool FactorInPlace(Matrix& s);

// LogDeterminant is log|S|. Only the lower triangle of `factor` is read, here and below.
double LogDeterminant(ConstMatrixRef factor);

// TraceOfInverse is tr(S⁻¹) = ‖C⁻¹‖²_F. `scratch` is overwritten.
double TraceOfInverse(ConstMatrixRef factor, Matrix& scratch);

// InverseOfFactor writes the lower triangle of S⁻¹ = (C⁻¹)ᵀ C⁻¹; above it `out` is unspecified.
// `scratch` is overwritten.
void InverseOfFactor(ConstMatrixRef factor, Matrix& scratch, Matrix& out);

}  // namespace prequel
