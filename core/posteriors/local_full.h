// A full Gaussian while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion.h"
#include "core/posteriors/full_gaussian.h"

namespace prequel {

// The fit is held relative to its prior N(m, P): q = N(m + δ, (P⁻¹ + J_G J_Gᵀ)⁻¹) with J_G = Jᵀ G
// (D × n, G the curvature roots), so that neither P⁻¹ nor q's covariance is formed until Commit.
// Two forms, chosen once per minibatch by flop count (math: numerics of the full covariance):
//   by examples    S = I + J_Gᵀ P J_G = C Cᵀ (n × n),  K = P J_G
//                  Λ_q⁻¹ v = P v − K S⁻¹ Kᵀ v,         P' = P − (K C⁻ᵀ)(K C⁻ᵀ)ᵀ
//   by parameters  P = L Lᵀ, A = Lᵀ J_G, M = I + A Aᵀ = R Rᵀ (D × D),  δ = L u
//                  Λ_q⁻¹ v = L M⁻¹ Lᵀ v,               P' = (R⁻¹ Lᵀ)ᵀ (R⁻¹ Lᵀ)
// S and M are I plus a positive semidefinite matrix, hence always well conditioned from below.
//
// Order of calls: Begin, then rounds of (Project*, StartCurve, AddCurve+, SolveCurve, Move+), each
// round closed by Accept or Revert, then Commit. Allocates nothing once grown.
class LocalFull {
 public:
  using Posterior = FullGaussian;

  // q := prior, which must outlive the fit. `columns` is n, the curvature columns one round adds;
  // `draws` asks for Draw to be possible (and so for the form by parameters).
  absl::Status Begin(const FullGaussian& prior, Index columns = 0, bool draws = false);

  const Vector& mean() const { return mean_; }

  // Logit covariance J_i P_q J_iᵀ of the linearisation in `expansion`, into its moments.
  void Project(Expansion& expansion);
  // Takes the linearisation over for AddCurve, wherever it was made, without its covariance.
  void Attach(Expansion& expansion);

  // The next curvature and natural-gradient direction, from the expansion of the minibatch's
  // log-likelihood: H = Σ weight · J_G J_Gᵀ, gradient = Σ weight · J r.
  void StartCurve();
  // REQUIRES: `expansion` was projected or attached, then expected. By examples: once per round,
  // weight 1.
  void AddCurve(Expansion& expansion, double weight);
  // direction = Λ_q'⁻¹ (gradient − P⁻¹ δ). INTERNAL when H is not finite.
  absl::Status SolveCurve();
  // Instead, when that curvature misleads: back to the one before StartCurve, and the direction
  // that it gives with the new gradient.
  void KeepCurve();

  // q := N(m + δ + ρ · direction, new covariance), to be looked at.
  void Move(double rho);
  void Accept();  // keeps the last Move
  void Revert();  // back to q as it was before StartCurve

  // KL(q ‖ prior) and its part that comes from the mean, ½ δᵀ P⁻¹ δ, in nats.
  double kl() const;
  double mean_kl() const;

  // θ = a draw of q that moves with it: the same stream gives the same z (common random numbers).
  void Draw(const Stream& stream, bool negate, Vector& theta);

  // Writes q. REQUIRES: the last round was accepted. Destroys the fit. INTERNAL when q is not
  // finite.
  absl::Status Commit(FullGaussian& next);

 private:
  // The curvature of one round. by examples: root = J_G, gain = K; by parameters: unused.
  struct Curvature {
    bool present = false;
    Matrix root, gain;  // D × n
    Matrix factor;      // C (n × n) or R (D × D), lower triangle
    double log_det = 0, trace_inverse = 0;
  };

  Curvature& now() { return curvature_[current_]; }
  const Curvature& now() const { return curvature_[current_]; }
  void SolveDirection();
  void WriteCovariance(FullGaussian& next);

  const FullGaussian* prior_ = nullptr;
  bool by_parameters_ = false;
  Matrix prior_factor_;  // L, by parameters only

  Matrix jacobian_;   // D × C·B of the last Project
  Matrix projected_;  // P J (by examples) or Lᵀ J (by parameters)
  Matrix whitened_;   // scratch of Project
  Matrix inverse_;    // scratch of SolveCurve
  Matrix root_;       // scratch of Commit: R⁻¹ Lᵀ

  Curvature curvature_[2];
  int current_ = 0;   // of q
  int accepted_ = 0;  // of q before StartCurve

  // Mean offset δ and its dual: P⁻¹ δ (by examples) or u (by parameters); and the direction's.
  Vector mean_, offset_, dual_, direction_, dual_direction_, trial_offset_, trial_dual_;
  Vector gradient_, projected_gradient_;  // J r and P J r (or Lᵀ J r)
  Matrix scaled_;                         // A of one AddCurve, by parameters
  Vector weights_, normal_;
};

}  // namespace prequel
