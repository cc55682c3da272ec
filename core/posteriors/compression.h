// A precision diag(d) + X Xᵀ with more columns than there is room for, brought to diag(d') + W Wᵀ.
//   drop             W = the L largest singular pairs U_L Σ_L of X, d' = d: the rest is forgotten
//   keep_diagonal    d' = d + diag(X Xᵀ − W Wᵀ): the diagonal of the precision is kept
//   factor_analysis  the W, d' of least KL(N(0, S) ‖ N(0, W Wᵀ + diag(d'))), S = diag(d) + X Xᵀ,
//                    by `loops` steps of EM (Rubin and Thayer 1982) from keep_diagonal
// The first two never make a precision larger than it is; the last may move it either way. X Xᵀ may
// be a covariance as well, of which drop makes no more than there is.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

struct Compression {
  enum class Kind { kDrop, kKeepDiagonal, kFactorAnalysis };
  Kind kind = Kind::kKeepDiagonal;
  Index loops = 0;
};

// Compressor is scratch. O(DK² + K³) for K columns, or O(D²K + D³) when there are more columns than
// rows.
class Compressor {
 public:
  // Compress takes X, D × K, to W, D × rank. `next_d` may be `d` itself. REQUIRES: rank ≤ D.
  void Compress(const Compression& compression, ConstVectorRef d, const Matrix& x, Index rank,
                Vector& next_d, Matrix& w);

 private:
  // KeepLargest sets w = the `rank` largest singular pairs of x.
  void KeepLargest(const Matrix& x, Index rank, Matrix& w);
  void Loop(ConstVectorRef d, const Matrix& x, Vector& next_d, Matrix& w);

  Matrix gram_, solved_, inner_, image_;
  Vector diagonal_;
};

// Condense replaces x (D × K) by D columns with the same outer product when K > D.
void Condense(Matrix& x);

}  // namespace prequel
