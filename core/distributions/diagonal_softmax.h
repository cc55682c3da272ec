// Expectations of the softmax p_c(f) = e^{f_c}/Σ_j e^{f_j} over independent normals f_c: integrals
// in one dimension, however many classes there are and however wide they are.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// DiagonalSoftmax is of C logits f_c ~ N(m_c, v_c): `mean` and `variances` of C, v_c ≥ 0, scratch
// of scratch_size() or more. Probabilities are right to 3e-6, and to one part in two hundred where
// they exceed 1e-6, unless one v_c is a thousand times another. Nothing allocates.
class DiagonalSoftmax {
 public:
  DiagonalSoftmax() = default;
  explicit DiagonalSoftmax(Index classes) : classes_(classes) {}

  // Covers: whether logits of that covariance are independent.
  static bool Covers(ConstMatrixRef covariance);

  Index scratch_size() const;

  // Expand computes, for the label y, E log p_y, its gradient in the mean, e_y − E p, and the part
  // of E[p pᵀ] below the diagonal.
  void Expand(ConstVectorRef mean, ConstVectorRef variances, Index label, VectorRef scratch,
              double* log_density, VectorRef score, MatrixRef second_moment) const;

  // Probabilities computes log E p, with E p summing to 1, and E H(p) in nats.
  void Probabilities(ConstVectorRef mean, ConstVectorRef variances, VectorRef scratch,
                     VectorRef log_probabilities, double* expected_entropy) const;

 private:
  struct Integral;

  Index classes_ = 0;
};

}  // namespace prequel
