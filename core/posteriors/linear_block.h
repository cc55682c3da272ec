// A full Gaussian over the weights of a linear model of several logits while it is fitted to one
// minibatch: what FullBlock does, without a Jacobian.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/linalg/types.h"

namespace prequel {

// LinearBlock uses that J_iᵀ = x_i ⊗ I for inputs x_i (d, a 1 for the bias among them). Every
// D × D matrix is d × d blocks of C × C, P_kl of the weights of inputs k and l:
//   J_i P J_iᵀ = Σ_kl x_ik x_il P_kl,   H_kl = Σ_i x_ik x_il W_i
// each of them one product of a D C × d matrix and a d × B one: 2 B C² d² flops, where a Jacobian's
// are C times as many. The fit is held by the precision, Λ_q = P⁻¹ + H, whose inverse is taken in
// every round: D³ flops.
//
// The calls and their order are LocalFull's, without draws. Allocates nothing once grown.
class LinearBlock {
 public:
  // Pays: whether it is cheaper than FullBlock with n curvature columns, or with n = 0 for
  // predictions alone. Small models gain nothing.
  static bool Pays(Index logits, Index inputs, Index examples, Index columns);

  // Begin sets q := N(m, covariance), of which only the lower triangle is read and which must
  // outlive the fit.
  void Begin(const Matrix& covariance);

  Index size() const { return prior_->rows(); }  // D

  void Attach(const Expansion& expansion);
  // Project writes block i of `covariance`, J_i P_q J_iᵀ. REQUIRES: Attach.
  void Project(Index logits, Matrix& covariance);

  void StartCurve();
  void AddCurve(Expansion& expansion, double weight);
  // INTERNAL when the prior is not positive definite, or the curvature not finite.
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  const Vector& offset() const { return trial_offset_; }  // δ
  double kl() const;
  double mean_kl() const { return 0.5 * trial_offset_.dot(trial_dual_); }

  // The lower triangle of P_q. Destroys the fit.
  void Commit(Matrix& covariance);

 private:
  struct Curvature {
    bool present = false;
    Matrix covariance;  // (P⁻¹ + H)⁻¹, both triangles
    double kl = 0;      // what the covariance adds to the divergence
  };

  Curvature& now() { return curvature_[current_]; }
  const Curvature& now() const { return curvature_[current_]; }
  const Matrix& covariance() const { return now().present ? now().covariance : symmetric_prior_; }
  void SolveDirection();

  const Matrix* prior_ = nullptr;
  Matrix symmetric_prior_;
  bool has_precision_ = false;  // since Begin
  absl::Status prior_status_;
  Matrix prior_precision_;    // P⁻¹, both triangles
  double prior_log_det_ = 0;  // log |P⁻¹|

  Matrix inputs_;      // d × B
  Matrix products_;    // D C × B, scratch
  Matrix curvatures_;  // W_i: C × C, scratch
  Matrix precision_;   // of one round, and its factor
  Matrix strip_;       // scratch

  Curvature curvature_[2];
  int current_ = 0;   // of q
  int accepted_ = 0;  // of q before StartCurve

  // δ and P⁻¹ δ; and the direction's.
  Vector offset_, dual_, direction_, dual_direction_, trial_offset_, trial_dual_;
  Vector gradient_, increment_;
};

}  // namespace prequel
