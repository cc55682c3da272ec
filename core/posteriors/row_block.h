// A full Gaussian over the weights into one unit while it is fitted to a minibatch of fewer rows
// than weights, whose inputs stay as they are: what FullBlock does by examples, without a product
// over the weights in any pass.
#pragma once

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

// RowBlock has inputs X (c × B), curvatures s ≥ 0 and scores r of the examples. With D = diag(√s),
//   q = N(m + δ, (P⁻¹ + X D² Xᵀ)⁻¹)
// moves within the span of P X, so that it is held by one number for each example:
//   K = Xᵀ P X (B × B),   δ = P X α,   M = I + D K D = C Cᵀ
//   direction of α = (r − α) − D M⁻¹ D K (r − α)
//   P_q = P − (P X D C⁻ᵀ)(P X D C⁻ᵀ)ᵀ,   t_i = x_iᵀ P_q x_i = K_ii − |C⁻¹ D K e_i|²
//   2 KL(q ‖ N(m, P)) = αᵀ K α + log|M| − Σ s_i t_i
// P X and K are formed once; a pass takes 4B³/3 flops. M is I plus a positive semidefinite matrix,
// hence always well conditioned from below.
//
// The calls and their order are LocalFull's. Allocates nothing once grown.
class RowBlock {
 public:
  // Begin sets q := N(m, covariance), of which only the lower triangle is read and which must
  // outlive the fit.
  void Begin(const Matrix& covariance);

  Index size() const { return prior_->rows(); }  // c

  // Attach takes `inputs`, which must outlive the fit. Once, or anew before StartCurve.
  void Attach(const Matrix& inputs);
  // Project writes t (1 × B). REQUIRES: Attach.
  void Project(Matrix& variance) const;

  void StartCurve();
  // AddCurve takes s and r of the examples, 1 × B; once per round.
  void AddCurve(const Matrix& curvatures, const Matrix& scores);
  // SolveCurve fails with INTERNAL when M is not finite.
  absl::Status SolveCurve();
  void KeepCurve();

  void Move(double rho);
  void Accept();
  void Revert();

  const Vector& offset() const { return offset_; }  // δ
  double kl() const;
  double mean_kl() const { return mean_kl_; }

  // Commit writes the lower triangle of P_q. Destroys the fit.
  void Commit(Matrix& covariance);

 private:
  // Curvature is of one round.
  struct Curvature {
    bool present = false;
    Vector curvatures, roots;  // s and √s: B
    Matrix factor;             // C, lower triangle
    Vector variances;          // t: B
    double log_det = 0;        // log|M|
  };

  Curvature& now() { return curvature_[current_]; }
  const Curvature& now() const { return curvature_[current_]; }
  void SolveDirection();
  void SetOffset();

  const Matrix* prior_ = nullptr;
  const Matrix* inputs_ = nullptr;  // X
  Matrix projected_;                // P X: c × B
  Matrix gram_;                     // K, from the first StartCurve on
  bool has_gram_ = false;
  Vector variances_;  // K_ii: B

  Curvature curvature_[2];
  int current_ = 0;   // of q
  int accepted_ = 0;  // of q before StartCurve

  Vector scores_;                    // r
  Vector dual_, direction_, trial_;  // α, its direction, and the α of the last Move
  Vector offset_;                    // of that
  double mean_kl_ = 0;               // likewise
  Vector weights_;                   // scratch: B
  Matrix whitened_;                  // scratch: B × B
};

}  // namespace prequel
