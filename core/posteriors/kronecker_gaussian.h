// q = Π_ℓ N(vec M_ℓ, P_ℓ), layers independent of one another, where the precision of a layer's
// weights [W b] (o × c) is that of the prior plus a Kronecker product:
//   P⁻¹ = D ⊗ I + A ⊗ S,   D = diag of the prior precision of each column of [W b],
//   D^{−1/2} A D^{−1/2} = Q_A diag(λ) Q_Aᵀ,   S = Q_S diag(μ) Q_Sᵀ
// In that eigenbasis the sum is diagonal, so nothing is damped or approximated to invert it:
//   P = (V ⊗ Q_S) diag(1/(1 + λ_i μ_j)) (V ⊗ Q_S)ᵀ,   V = D^{−1/2} Q_A
// Biases are a column like another, with the prior precision that is theirs. O(Σ c² + o²) memory.
// The curvature in this form is K-FAC's (Martens and Grosse 2015; as the precision of a posterior,
// Zhang et al. 2018, "Noisy natural gradient as variational inference").
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/expansion/expansion.h"
#include "core/linalg/types.h"
#include "core/models/kronecker.h"
#include "core/models/layer.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class KroneckerDivergence;
class KroneckerProjector;
class KroneckerSampler;

struct KroneckerGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "kronecker";

  using Projector = KroneckerProjector;
  using Sampler = KroneckerSampler;
  using Divergence = KroneckerDivergence;

  struct Layer {
    Vector prior;          // diag D: c, positive
    Matrix input_basis;    // Q_A: c × c
    Vector input_values;   // λ: c, not negative
    Matrix output_basis;   // Q_S: o × o
    Vector output_values;  // μ: o, not negative

    Index columns() const { return input_basis.rows(); }   // c
    Index outputs() const { return output_basis.rows(); }  // o
    Index size() const { return columns() * outputs(); }

    // Assign makes P⁻¹ = D ⊗ I + A ⊗ S of lower triangles; INTERNAL when they are not finite.
    // O(c³ + o³).
    absl::Status Assign(ConstVectorRef d, ConstMatrixRef a, ConstMatrixRef s);
    void CovarianceTo(KroneckerCovariance& out) const;
    // WeightsIn is [W b] of this layer, whose weights begin at `offset` in θ.
    Eigen::Map<const Matrix> WeightsIn(const Vector& theta, Index offset) const {
      return {theta.data() + offset, outputs(), columns()};
    }
    bool IsFinite() const;

    template <class T, class Self>
    static void Fields(T& a, Self& s) {
      a.Value("prior", s.prior);
      a.Value("input_basis", s.input_basis);
      a.Value("input_values", s.input_values);
      a.Value("output_basis", s.output_basis);
      a.Value("output_values", s.output_values);
    }
  };

  Vector mean;                // D
  std::vector<Layer> layers;  // first to last

  absl::Status Configure(Options& options, const Layers& layers);
  absl::Status CheckSize(Index params) const;
  // CheckPrior: the outputs' weights of one input must vary alike.
  absl::Status CheckPrior(const Vector& variances) const;
  // REQUIRES: CheckPrior(variances) is OK.
  KroneckerGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;

  template <class T, class Self>
  static void Fields(T& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("layers", s.layers);
  }

  Index size() const { return mean.size(); }
  static double SpreadNumbers(const Layers& layers);  // Σ c² + o² + 2 c + o
  bool IsFinite() const;
  bool IsSound(Index params) const;
  bool HasShapeOf(const KroneckerGaussian& other) const;
  // Carry sets A' = T⁻ᵀ A T⁻¹ over the inputs of the first layer, S' likewise over the outputs of
  // the last; the prior stays.
  absl::Status Carry(const Carrying& by, CarryingScratch& scratch);
  // HasShapeOf: whether these are A and S of each of the layers.
  bool HasShapeOf(const std::vector<KroneckerFactors>& factors) const;

 private:
  absl::Status CarryFactors(const Carrying& by, std::size_t l);
};

// KroneckerDivergence is KL(q ‖ p), nats. O(Σ c³ + o³). REQUIRES: q.HasShapeOf(p).
class KroneckerDivergence {
 public:
  double Kl(const KroneckerGaussian& q, const KroneckerGaussian& p);

 private:
  Vector moved_;
  KroneckerCovariance covariance_;
};

// KroneckerProjector computes J_i P J_iᵀ of a linearisation at the mean.
class KroneckerProjector {
 public:
  absl::Status Begin(const KroneckerGaussian& posterior);
  void Project(Expansion& expansion) { expansion.MarginalCovariance(covariances_); }

 private:
  std::vector<KroneckerCovariance> covariances_;
};

// KroneckerSampler draws M_ℓ + Q_S (E^{1/2} ∘ Z) Vᵀ.
class KroneckerSampler {
 public:
  absl::Status Prepare(const KroneckerGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Vector mean_, normal_;
  Matrix scratch_;
  std::vector<KroneckerCovariance> covariances_;
};

}  // namespace prequel
