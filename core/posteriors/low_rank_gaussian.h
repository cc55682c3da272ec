// q = N(m, (diag(d) + W Wᵀ)⁻¹), W: D × L: a precision of a diagonal and a low rank.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/linalg/woodbury.h"
#include "core/models/layer.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class LocalLowRank;
class LowRankDivergence;
class LowRankSampler;

// Options:
//   rank  L, 1 ≤ L ≤ D; 10 unless given, D when that is less
struct LowRankGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "low_rank";
  static constexpr bool kDiffuses = true;

  using Projector = LocalLowRank;
  using Sampler = LowRankSampler;
  using Divergence = LowRankDivergence;

  Vector mean;      // m: D
  Vector diagonal;  // d: D, positive
  Matrix factor;    // W: D × L

  absl::Status Configure(Options& options, const Layers& layers);
  absl::Status CheckSize(Index params) const;
  // FromDiagonal is N(mean, diag(variances)) of the rank of this one.
  LowRankGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("diagonal", s.diagonal);
    a.Value("factor", s.factor);
  }

  Index size() const { return mean.size(); }
  Index rank() const { return factor.cols(); }
  double SpreadNumbers(const Layers& layers) const {  // D (L + 1)
    return static_cast<double>(NumParams(layers)) * static_cast<double>(rank() + 1);
  }
  bool IsFinite() const;
  bool IsSound(Index params) const;
  bool HasShapeOf(const LowRankGaussian& other) const { return rank() == other.rank(); }

  // d' = d/(k + a d),  W' = diag(√k/(k + a d)) W R⁻ᵀ,  R Rᵀ = I + Wᵀ diag(a/(k + a d)) W
  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  // Carry sets W' = T⁻ᵀ W; of d what the family cannot hold is left out, as of a diagonal
  // precision.
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
};

// LowRankSampler draws mean + Λ^{−1/2}-distributed deviations, by Woodbury::Deviate.
class LowRankSampler {
 public:
  absl::Status Prepare(const LowRankGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Vector mean_, normal_;
  Woodbury precision_;
};

// LowRankDivergence is KL(q ‖ p) in nats; infinity when either is no precision. O(DL²).
class LowRankDivergence {
 public:
  double Kl(const LowRankGaussian& q, const LowRankGaussian& p);

 private:
  Woodbury q_, p_;
  Matrix solved_;  // Λ_q⁻¹ W_p
  Vector moved_, turned_;
};

// CheckRank: INVALID_ARGUMENT when a factor of `rank` columns and `params` rows is too large to
// hold.
absl::Status CheckRank(Index params, Index rank);

// CheckColumns: INVALID_ARGUMENT when a minibatch of `columns` curvature columns of D = params
// weights is too large to hold.
absl::Status CheckColumns(Index params, Index columns);

}  // namespace prequel
