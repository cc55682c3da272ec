// Products of a layer's squared input A∘A, which carry variances forward and curvature back.
#pragma once

#include "core/linalg/buffer.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"

namespace prequel {

// Squares is scratch of one layer; allocates nothing once grown to the largest batch.
//
// Every term of these sums is ≥ 0. So a sum of n terms in single precision is right to n · 6e-8 of
// itself (and in practice to 1e-6), whatever the terms: nothing cancels. Layers of at least
// kSingleWeights weights are multiplied that way, at twice the speed; smaller ones, and numbers
// that single precision cannot hold, in double precision.
class Squares {
 public:
  static constexpr Index kSingleWeights = 64 * 64;

  // Reset is for a new input: it forgets the squares of the one before.
  void Reset() { squared_ = Squared::kNone; }

  // Affine writes out (fan_out × B) = V (A∘A) + v 1ᵀ for v laid out like θ: the variances of
  // Z = W A + b. REQUIRES for both: the same `a` (fan_in × B) since Reset;
  // `variances`, `s` ≥ 0.
  void Affine(const DenseLayer& layer, ConstVectorRef variances, ConstMatrixRef a, MatrixRef out);

  // OuterSum writes the layer's part of `out` (D): weights s (A∘A)ᵀ, biases s 1, for s fan_out × B.
  void OuterSum(const DenseLayer& layer, ConstMatrixRef s, ConstMatrixRef a, VectorRef out);

 private:
  enum class Squared { kNone, kSingle, kDouble };

  // SquareInSingle squares `a` in single precision unless that is done; false where that does not
  // serve.
  bool SquareInSingle(const DenseLayer& layer, ConstMatrixRef a);
  // SquareInDouble does so in double precision, which is then used until Reset.
  Buffer::ConstView SquareInDouble(ConstMatrixRef a);

  Squared squared_ = Squared::kNone;
  Buffer double_;
  SingleBuffer single_, left_, product_;
};

}  // namespace prequel
