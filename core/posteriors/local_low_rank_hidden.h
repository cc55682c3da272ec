// A posterior of low rank over the hidden layers while it takes one step on a minibatch.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/compression.h"
#include "core/posteriors/low_rank_hidden_gaussian.h"

namespace prequel {

// LocalLowRankHidden works with the minibatch's curvature columns J_G (D × n) and P_{t−1} =
// blockdiag(P_h, P_ℓ), of which only the products with columns are formed:
//   S = I + J_Gᵀ P J_G  (n × n),  K = P J_G S⁻¹,  Λ⁻¹ v = P v − K J_Gᵀ P v
// Order of calls: Begin, Project, Step, Commit. Allocates nothing once grown, except to compress.
class LocalLowRankHidden {
 public:
  using Posterior = LowRankHiddenGaussian;

  // Begin takes n = columns. `prior` must outlive the fit.
  absl::Status Begin(const LowRankHiddenGaussian& prior, Index columns = 0, bool draws = false);

  const Vector& mean() const { return mean_; }
  absl::Status CheckRoom() const;

  // Project writes the logit covariance J_i P J_iᵀ of the linearisation in `expansion` to its
  // moments: a forward derivative per column of C, and the last layer's rows of the Jacobian.
  void Project(Expansion& expansion);

  // Step sets m += Λ⁻¹ Σ_i J_iᵀ E[r_i]. REQUIRES: `expansion` was linearised at the prior mean and
  // expected.
  absl::Status Step(Expansion& expansion);

  // kl is KL(N(m', (P⁻¹ + J_G J_Gᵀ)⁻¹) ‖ prior) in nats: of the step, before it is brought back to
  // the family.
  double kl() const { return kl_; }

  // Commit writes the covariances after the step, each block's by Joseph's form with the
  // likelihood's noise alone, and that of the hidden layers brought back to L columns:
  //   C ← the L largest singular pairs of [(I − K_h J_{G,h}ᵀ) C, K_h]
  //   P_ℓ ← (I − K_ℓ J_{G,ℓ}ᵀ) P_ℓ (I − K_ℓ J_{G,ℓ}ᵀ)ᵀ + K_ℓ K_ℓᵀ
  absl::Status Commit(LowRankHiddenGaussian& next);

 private:
  // Multiply sets out = P v, column by column.
  void Multiply(ConstMatrixRef v, MatrixRef out);

  const LowRankHiddenGaussian* prior_ = nullptr;
  Index num_columns_ = 0;    // n
  std::vector<Index> last_;  // its places
  Vector mean_;
  double kl_ = 0;

  Matrix jacobian_;        // D × C·B
  Matrix last_jacobian_;   // D_ℓ × C·B
  Matrix last_projected_;  // P_ℓ J_ℓ
  Matrix tangents_;        // Cᵀ J_h: L × C·B
  Vector variances_, tangent_;
  Matrix forward_;  // C × B

  Matrix root_, image_;  // J_G and P J_G, in Commit K: D × n
  Matrix factor_;        // of S
  Matrix strip_;         // scratch of TraceOfInverse
  Vector gradient_, moved_, weights_;
  Matrix rotated_;  // Cᵀ v: L × columns
  Matrix crossed_;  // J_{G,h}ᵀ C: n × L
  Matrix columns_;  // D_h × (L + n)
  Compressor compressor_;
};

}  // namespace prequel
