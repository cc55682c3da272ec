// A block-diagonal Gaussian while it is being fitted to one minibatch.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/block_diagonal_gaussian.h"
#include "core/posteriors/full_block.h"

namespace prequel {

// LocalBlockDiagonal has the interface of LocalFull (documented there) for q = Π_ℓ N(m_ℓ + δ_ℓ,
// P_ℓ), a FullBlock per layer. The logits see all of them, J P Jᵀ = Σ_ℓ J_ℓ P_ℓ J_ℓᵀ; with that,
// the local ELBO is stationary in P_ℓ and m_ℓ where
//   P_ℓ⁻¹ = Λ_{t−1,ℓ} + (J_G J_Gᵀ)_ℓℓ,   Λ_{t−1,ℓ} δ_ℓ = (J r)_ℓ
// The direction P_ℓ [(J r)_ℓ − Λ_{t−1,ℓ} δ_ℓ] of each layer knows nothing of the others' moves:
// together they may go too far, and the rule's line search must say so.
class LocalBlockDiagonal {
 public:
  using Posterior = BlockDiagonalGaussian;

  absl::Status Begin(const BlockDiagonalGaussian& prior, Index columns = 0, bool draws = false);

  static Index first_uncertain() { return 0; }
  static absl::Status CheckRoom() { return absl::OkStatus(); }
  const Vector& mean() const { return mean_; }

  void Project(Expansion& expansion);
  void Attach(Expansion& expansion);

  void StartCurve();
  void AddCurve(Expansion& expansion, double weight);
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  double kl() const;
  double mean_kl() const;

  void Draw(const Stream& stream, bool negate, Vector& theta);
  absl::Status Commit(BlockDiagonalGaussian& next);

 private:
  // Calls visit(block, offset of its weights in θ), first to last.
  template <class Visit>
  void ForEachBlock(const Visit& visit);
  void SetMean();

  const BlockDiagonalGaussian* prior_ = nullptr;
  std::vector<FullBlock> blocks_;
  Matrix jacobian_;  // D × C·B
  Vector mean_, normal_;
};

}  // namespace prequel
