// A full Gaussian while it is being fitted to one minibatch.
#pragma once

#include "absl/status/status.h"
#include "core/expansion/expansion.h"
#include "core/posteriors/full_block.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/linear_block.h"

namespace prequel {

// LocalFull holds all weights as one FullBlock, which has the equations; or as one LinearBlock,
// where the model is linear, has several logits, and that is cheaper.
//
// Order of calls: Begin, then rounds of (Project*, StartCurve, AddCurve+, SolveCurve, Move+), each
// round closed by Accept or Revert, then Commit. Allocates nothing once grown.
class LocalFull {
 public:
  using Posterior = FullGaussian;

  // Begin sets q := prior, which must outlive the fit. `columns` is n, the curvature columns one
  // round adds; `draws` asks for Draw to be possible (and so for the form by parameters).
  absl::Status Begin(const FullGaussian& prior, Index columns = 0, bool draws = false);

  const FullGaussian& prior() const { return *prior_; }
  static Index first_uncertain() { return 0; }
  // CheckRoom: whether the columns of a round can be held; else INVALID_ARGUMENT.
  static absl::Status CheckRoom() { return absl::OkStatus(); }
  const Vector& mean() const { return mean_; }

  // Project writes the logit covariance J_i P_q J_iᵀ of the linearisation in `expansion` to its
  // moments.
  void Project(Expansion& expansion);
  // Attach takes the linearisation over for AddCurve, wherever it was made, without its covariance.
  void Attach(Expansion& expansion);

  // StartCurve begins the next curvature and natural-gradient direction, from the expansion of the
  // minibatch's log-likelihood: H = Σ weight · J_G J_Gᵀ, gradient = Σ weight · J r.
  void StartCurve() { structured_ ? linear_.StartCurve() : block_.StartCurve(); }
  // AddCurve adds to both. By examples: once per round, weight 1. REQUIRES: `expansion` was
  // projected or attached, then expected.
  void AddCurve(Expansion& expansion, double weight);
  // SolveCurve finds direction = Λ_q'⁻¹ (gradient − P⁻¹ δ). INTERNAL when H is not finite.
  absl::Status SolveCurve();
  // KeepCurve is for when that curvature misleads: it goes back to the one before StartCurve, and
  // the direction that it gives with the new gradient.
  void KeepCurve() { structured_ ? linear_.KeepCurve() : block_.KeepCurve(); }

  // Move sets q := N(m + δ + ρ · direction, new covariance), to be looked at.
  void Move(double rho);
  void Accept() { structured_ ? linear_.Accept() : block_.Accept(); }  // keeps the last Move
  void Revert();  // back to q as it was before StartCurve

  // kl is KL(q ‖ prior), mean_kl its part that comes from the mean, ½ δᵀ P⁻¹ δ, in nats.
  double kl() const { return structured_ ? linear_.kl() : block_.kl(); }
  double mean_kl() const { return structured_ ? linear_.mean_kl() : block_.mean_kl(); }

  // Draw sets θ = a draw of q that moves with it: the same stream gives the same z (common random
  // numbers).
  void Draw(const Stream& stream, bool negate, Vector& theta);

  // Commit writes q. Destroys the fit. INTERNAL when q is not finite. REQUIRES: the last round was
  // accepted.
  absl::Status Commit(FullGaussian& next);

 private:
  // Choose chooses the form, at the first linearisation after Begin.
  void Choose(const Expansion& expansion);
  void SetMean();

  const FullGaussian* prior_ = nullptr;
  bool chosen_ = false;      // since Begin
  bool structured_ = false;  // as a LinearBlock
  Index columns_ = 0;
  absl::Status begun_;  // of the FullBlock
  FullBlock block_;
  LinearBlock linear_;
  Vector mean_, normal_;
};

}  // namespace prequel
