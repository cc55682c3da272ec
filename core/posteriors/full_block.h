// A full Gaussian over some of the weights while it is fitted to one minibatch: the algebra, in
// offsets from its prior's mean, for LocalFull (all weights) and LocalBlockDiagonal (a layer each).
#pragma once

#include "absl/status/status.h"
#include "core/likelihoods/logit_moments.h"
#include "core/linalg/types.h"

namespace prequel {

// The fit is held relative to its prior N(m, P): q = N(m + δ, (P⁻¹ + J_G J_Gᵀ)⁻¹) with J_G = Jᵀ G
// (D × n, G the curvature roots), so that neither P⁻¹ nor q's covariance is formed until the end.
// Two forms, chosen once per minibatch by flop count (math: numerics of the full covariance):
//   by examples    S = I + J_Gᵀ P J_G = C Cᵀ (n × n),  K = P J_G
//                  Λ_q⁻¹ v = P v − K S⁻¹ Kᵀ v,         P' = P − (K C⁻ᵀ)(K C⁻ᵀ)ᵀ
//   by parameters  P = L Lᵀ, A = Lᵀ J_G, M = I + A Aᵀ = R Rᵀ (D × D),  δ = L u
//                  Λ_q⁻¹ v = L M⁻¹ Lᵀ v,               P' = (R⁻¹ Lᵀ)ᵀ (R⁻¹ Lᵀ)
// S and M are I plus a positive semidefinite matrix, hence always well conditioned from below.
//
// The calls and their order are LocalFull's. Allocates nothing once grown.
class FullBlock {
 public:
  // Begin sets q := N(m, covariance), of which only the lower triangle is read and which must
  // outlive the fit.
  absl::Status Begin(const Matrix& covariance, Index columns, bool draws);

  Index size() const { return prior_->rows(); }  // D

  // jacobian is D × C·B, to be filled before Attach: the rows of the Jacobian that are of these
  // weights.
  Matrix& jacobian() { return jacobian_; }
  void Attach();
  // Project sets block i of `covariance` (+)= J_i P_q J_iᵀ. REQUIRES: Attach.
  void Project(Index logits, bool accumulate, Matrix& covariance);

  void StartCurve();
  // AddCurve is called, by examples, once per round, with weight 1. REQUIRES: Attach.
  void AddCurve(const LocalExpansion& local, double weight);
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  const Vector& offset() const { return trial_offset_; }  // δ
  double kl() const;
  double mean_kl() const;

  // Deviate adds to theta a draw of N(0, P_q) made of standard normals z, which are overwritten.
  // REQUIRES: draws.
  void Deviate(VectorRef z, VectorRef theta) const;

  // Commit writes the lower triangle of P_q. Destroys the fit.
  void Commit(Matrix& covariance);

 private:
  // Curvature is of one round. By examples root = J_G, gain = K; by parameters both are unused.
  struct Curvature {
    bool present = false;
    Matrix root, gain;  // D × n
    Matrix factor;      // C (n × n) or R (D × D), lower triangle
    double log_det = 0, trace_inverse = 0;
  };

  Curvature& now() { return curvature_[current_]; }
  const Curvature& now() const { return curvature_[current_]; }
  void SolveDirection();

  const Matrix* prior_ = nullptr;  // P
  bool by_parameters_ = false;
  Matrix prior_factor_;  // L, by parameters only

  Matrix jacobian_;   // D × C·B of the last Attach
  Matrix projected_;  // P J (by examples) or Lᵀ J (by parameters)
  Matrix whitened_;   // scratch of Project
  Matrix inverse_;    // scratch of SolveCurve
  Matrix root_;       // scratch of Commit: R⁻¹ Lᵀ

  Curvature curvature_[2];
  int current_ = 0;   // of q
  int accepted_ = 0;  // of q before StartCurve

  // δ and its dual: P⁻¹ δ (by examples) or u (by parameters); and the direction's.
  Vector offset_, dual_, direction_, dual_direction_, trial_offset_, trial_dual_;
  Vector gradient_, projected_gradient_;  // J r and P J r (or Lᵀ J r)
  Matrix scaled_;                         // A of one AddCurve, by parameters
  Vector weights_;
};

}  // namespace prequel
