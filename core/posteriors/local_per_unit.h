// A Gaussian per unit while it is being fitted to one minibatch.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/likelihoods/logit_moments.h"
#include "core/posteriors/full_block.h"
#include "core/posteriors/per_unit_gaussian.h"
#include "core/posteriors/row_block.h"

namespace prequel {

// The interface of LocalFull (documented there) for q = Π_j N(m_j + δ_j, P_j), a FullBlock per
// unit, or a RowBlock where the inputs are the same in every pass and fewer than the weights. With
// ã_i the inputs of the unit's layer and a 1 for its bias, J_i of its weights is Δ_{ji} ã_iᵀ for
// cotangents Δ_{ji} ∈ R^C, so that no Jacobian is formed, and an example is one curvature column
// however many logits there are:
//   (J_G J_Gᵀ)_jj = Σ_i s_{ji} ã_i ã_iᵀ,      s_{ji} = |G_iᵀ Δ_{ji}|²
//   (J r)_j = Σ_i (Δ_{ji}ᵀ r_i) ã_i
//   J_i P J_iᵀ = Σ_j Δ_{ji} Δ_{ji}ᵀ t_{ji},   t_{ji} = ã_iᵀ P_j ã_i
// of which a linear model has Δ_{ji} = e_j: a diagonal covariance of the logits. As in
// LocalBlockDiagonal the direction of each unit knows nothing of the others' moves.
class LocalPerUnit {
 public:
  using Posterior = PerUnitGaussian;

  absl::Status Begin(const PerUnitGaussian& prior, Index columns = 0, bool draws = false);

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
  absl::Status Commit(PerUnitGaussian& next);

 private:
  // ForEachBlock calls visit(block of the unit), first to last.
  template <class Visit>
  void ForEachBlock(const Visit& visit) {
    if (by_rows_) {
      for (auto& block : rows_) visit(block);
    } else {
      for (auto& block : blocks_) visit(block);
    }
  }
  template <class Visit>
  void ForEachBlock(const Visit& visit) const {
    if (by_rows_) {
      for (auto& block : rows_) visit(block);
    } else {
      for (auto& block : blocks_) visit(block);
    }
  }
  void AttachUnit(std::size_t unit, const Matrix& inputs);
  void SetMean();

  const PerUnitGaussian* prior_ = nullptr;
  bool by_rows_ = false;           // since Begin
  std::vector<RowBlock> rows_;     // one for each unit, by rows
  std::vector<FullBlock> blocks_;  // or otherwise
  bool attached_ = false;          // since Begin
  // ã of each layer, c × B, of the last Attach; then scratch for as many.
  std::vector<Matrix> inputs_;

  Matrix variances_;            // t: U × B
  Matrix scores_, curvatures_;  // Δ_{ji}ᵀ r_i and s_{ji}: U × B
  Matrix variance_;             // of one unit: 1 × B
  LocalExpansion local_;        // of one unit, as if it were the only logit
  Vector mean_, normal_, deviation_;
};

}  // namespace prequel
