// A low-rank posterior fitted to one minibatch: what a rule works with while it updates.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/linalg/woodbury.h"
#include "core/posteriors/compression.h"
#include "core/posteriors/low_rank_gaussian.h"

namespace prequel {

// The interface of LocalFull (documented there) for q = N(m + δ, (Λ + J_G J_Gᵀ)⁻¹) with the prior's
// Λ = diag(d) + W Wᵀ: while it is fitted q keeps all columns W̃ = [W, J_G] (D × (L + n)), and only
// Commit brings them back to L. Nothing is D × D unless n > D, and then J_G is.
//   Λ_q⁻¹ v         by Woodbury on W̃
//   J_i P_q J_iᵀ  = J_i d⁻¹ J_iᵀ − T_iᵀ M⁻¹ T_i,  T_i = W̃ᵀ d⁻¹ J_iᵀ: a forward derivative per
//   column 2 KL(q ‖ prior) = tr(S⁻¹) − n + log|S| + δᵀ Λ δ,  S = I + J_Gᵀ Λ⁻¹ J_G: the trailing
//   block
class LocalLowRank {
 public:
  using Posterior = LowRankGaussian;

  absl::Status Begin(const LowRankGaussian& prior, Index columns = 0, bool draws = false);
  // Compress says how Commit makes room; Begin resets it to keep_diagonal.
  void Compress(const Compression& compression) { compression_ = compression; }

  static Index first_uncertain() { return 0; }
  absl::Status CheckRoom() const { return CheckColumns(prior_->size(), columns_); }
  const Vector& mean() const { return mean_; }

  void Project(Expansion& expansion);
  void Attach(Expansion& /*expansion*/) {}

  void StartCurve();
  void AddCurve(Expansion& expansion, double weight);
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  double kl() const { return mean_kl() + now().covariance_kl; }
  double mean_kl() const { return 0.5 * trial_offset_.dot(trial_dual_); }

  void Draw(const Stream& stream, bool negate, Vector& theta);
  absl::Status Commit(LowRankGaussian& next);

 private:
  struct Curvature {
    Matrix columns;      // W̃: D × (L + n), of the prior unused
    Index added = 0;     // n
    Woodbury precision;  // Λ + J_G J_Gᵀ
    double covariance_kl = 0;

    auto root() { return columns.rightCols(added); }  // J_G
  };
  static constexpr int kPrior = 2;

  Curvature& now() { return curvature_[current_]; }
  const Curvature& now() const { return curvature_[current_]; }
  void SolveDirection();

  const LowRankGaussian* prior_ = nullptr;
  Compression compression_;
  Index columns_ = 0;  // n, those of one round

  Curvature curvature_[3];  // two rounds' worth, in turn, and the prior's
  int current_ = kPrior;    // of q
  int accepted_ = kPrior;   // of q before StartCurve

  // Mean offset δ and its dual Λ δ; and the direction's.
  Vector mean_, offset_, dual_, direction_, dual_direction_, trial_offset_, trial_dual_;
  Vector gradient_, increment_, weights_, normal_;

  Matrix jacobian_;  // D × C·B
  Matrix tangents_;  // T: K × C·B
  Vector tangent_;   // d⁻¹ w̃_k: D
  Matrix forward_;   // J_i d⁻¹ w̃_k: C × B
  Matrix scratch_;
  Compressor compressor_;
};

}  // namespace prequel
