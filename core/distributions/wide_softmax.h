// Expectations of the softmax p_c(f) = e^{f_c}/Σ_j e^{f_j} over normals f that are wide beside it.
// A softmax is then nearly a step, of which few draws say little: by 64 draws of f the
// probabilities are off by up to 0.13. So for each draw one logit is integrated out given the
// others.
#pragma once

#include "core/linalg/types.h"

namespace prequel {

// WidthOf says how wide f ~ N(·, Σ) is: C/(C−1) times the greatest variance of f_c − mean_j f_j,
// since what all logits share is nothing to the softmax. It is v for Σ = v I.
double WidthOf(ConstMatrixRef covariance);

// WideSoftmax is of C logits. Means are of C, covariances C × C and symmetric, scratch of
// scratch_size() or more.
class WideSoftmax {
 public:
  WideSoftmax() = default;
  explicit WideSoftmax(Index classes);  // makes the draws, which all examples share

  Index scratch_size() const;

  // Expand computes, for the label y,
  //   log_density = E log p_y,   score_y = mean_k (1 − S_k),   score_j = −mean_k (1 − S_k) q_kj
  // with S_k the expectation of σ(f_y − log Σ_{j≠y} e^{f_j}) over f_y given draw k of the other
  // logits, and q_k their softmax. The score is exactly the gradient of log_density in the mean,
  // and sums to 0.
  void Expand(ConstVectorRef mean, ConstMatrixRef covariance, Index label, VectorRef scratch,
              double* log_density, VectorRef score) const;

  // SecondMoment computes w = E[p pᵀ], of which only what is below the diagonal is written.
  void SecondMoment(ConstVectorRef mean, ConstMatrixRef covariance, VectorRef scratch,
                    MatrixRef w) const;

  // Probabilities computes log E p, with E p summing to 1, and E H(p) in nats, which is a mean over
  // the draws as they are.
  void Probabilities(ConstVectorRef mean, ConstMatrixRef covariance, VectorRef scratch,
                     VectorRef log_probabilities, double* expected_entropy) const;

 private:
  struct Work;
  void DrawAll(ConstVectorRef mean, ConstMatrixRef covariance, Work& work) const;

  Index classes_ = 0;
  Matrix draws_;  // K/2 × C: row k is z_k, and −z_k is the other half
};

}  // namespace prequel
