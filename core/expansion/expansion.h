// The one place where model, likelihood and minibatch meet: the local expansion of the minibatch's
// log-likelihood around some weights. Rules and posteriors see this and nothing behind it.
#pragma once

#include <vector>

#include "core/likelihoods/likelihood.h"
#include "core/likelihoods/logit_moments.h"
#include "core/likelihoods/noise_model.h"
#include "core/models/model.h"

namespace prequel {

enum class Expectation { kLinearized, kAtMean };

// Expansion is bound to one encoded minibatch at a time; its buffers stay and grow to the largest.
// What it is bound to must outlive the use. Allocates nothing once grown.
class Expansion {
 public:
  // inputs: D_in × B, targets: T × B, encoded.
  void Bind(const Model& model, const Likelihood& likelihood, const Matrix& inputs,
            const Matrix& targets, const NoiseLevel& noise);
  // Weigh says how much each row counts from here on, w² ≥ 0 (B), until the next Bind or Retarget.
  void Weigh(const Vector& weights) { local_.weights = weights; }
  // Retarget binds to other targets and noise of the same examples: what has been linearised stays.
  void Retarget(const Matrix& targets, const NoiseLevel& noise);

  Index num_params() const;
  Index num_logits() const;      // C
  Index curvature_rank() const;  // R: curvature columns per example
  Index examples() const { return inputs_->cols(); }
  bool linear() const;  // the logits are linear in the weights
  const Matrix& targets() const { return *targets_; }
  const NoiseLevel& noise() const { return *noise_; }

  // Forward computes the logits at θ: moments().mean = f_θ(X). The covariance is left as it was,
  // for kAtMean to ignore.
  void Forward(const Vector& theta);
  // Linearize is Forward, then the back-propagation that J needs, or its rows from `first` on;
  // moments().covariance is the posterior's to fill (its Projector).
  void Linearize(const Vector& theta, Index first = 0);

  // InputJacobian writes ∂f/∂x, D_in × C·B: column c·B + i is of logit c of example i. REQUIRES:
  // Linearize(theta).
  void InputJacobian(const Vector& theta, Matrix& out) const;

  // Jacobian writes J, D × C·B; JacobianRows those of its rows with these increasing indices; and
  // MarginalCovariance sets moments().covariance = J_i diag(v) J_iᵀ. REQUIRES: Linearize, as the
  // three below.
  void Jacobian(Matrix& out) const;
  void JacobianRows(const std::vector<Index>& of, Matrix& out) const;
  void MarginalCovariance(const Vector& variances);
  // MarginalCovariance sets moments().covariance for independent layers with covariances in
  // Kronecker form, first to last.
  void MarginalCovariance(const std::vector<KroneckerCovariance>& layers);
  // UnitCovariance sets it for independent weights into units, by t (U × B), t_{ji} = ã_iᵀ P_j ã_i.
  void UnitCovariance(const Matrix& t);
  // UnitInputs writes ã of a layer: c × B.
  void UnitInputs(Index layer, Matrix& out) const;

  // Jvp sets out (C × B) = J_i v. REQUIRES: Forward(theta) or Linearize(theta).
  void Jvp(const Vector& theta, const Vector& v, MatrixRef out) const;

  LogitMoments& moments() { return moments_; }
  const LogitMoments& moments() const { return moments_; }

  // Expect takes expectations of log density, score and curvature under moments() (kAtMean: as if
  // the logits were exactly moments().mean). Returns Σ E[log p], nats.
  double Expect(Expectation expectation);
  const LocalExpansion& local() const { return local_; }

  // Gradient writes Σ_i J_iᵀ E[r_i], CurvatureDiagonal Σ_i diag(J_iᵀ E[W_i] J_i), and
  // CurvatureFactors the Kronecker factors of Σ_i J_iᵀ E[W_i] J_i, of every layer. REQUIRES:
  // Linearize, Expect.
  void Gradient(Vector& out);
  void CurvatureDiagonal(Vector& out);
  void CurvatureFactors(std::vector<KroneckerFactors>& out);
  // UnitScores writes Δ_{ji}ᵀ E[r_i] of every unit j, UnitCurvatures |G_iᵀ Δ_{ji}|²: U × B.
  void UnitScores(Matrix& out);
  void UnitCurvatures(Matrix& out);

  // These four use one plain back-propagation, without Linearize: with g_i = J_iᵀ r_i they write
  // Σ_i g_i, and beside it Σ_i g_i ∘ g_i (the diagonal of the empirical Fisher, for one product
  // more per layer), Σ_i diag(J_iᵀ W_i J_i) (for R columns more back-propagated) or the Kronecker
  // factors of Σ_i g_i g_iᵀ. REQUIRES: Forward(theta), Expect(kAtMean).
  void BackPropagate(const Vector& theta, Vector& gradient);
  void BackPropagateSquares(const Vector& theta, Vector& gradient, Vector& squares);
  void BackPropagateCurvature(const Vector& theta, Vector& gradient, Vector& diagonal);
  void BackPropagateFactors(const Vector& theta, Vector& gradient,
                            std::vector<KroneckerFactors>& factors);

 private:
  void WeighRows();

  const Model* model_ = nullptr;
  const Likelihood* likelihood_ = nullptr;
  const Matrix* inputs_ = nullptr;
  const Matrix* targets_ = nullptr;
  const NoiseLevel* noise_ = nullptr;

  Tapes tapes_;
  LogitMoments moments_;
  Matrix no_covariance_;
  LocalExpansion local_;
};

}  // namespace prequel
