// N(m, blockdiag(diag(f) + C Cᵀ, P)): a covariance of low rank over the hidden layers, h, and a
// full one over the last, ℓ. O(D_h L + D_ℓ²) memory.
#pragma once

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class LocalLowRankHidden;
class LowRankHiddenDivergence;
class LowRankHiddenSampler;

// The covariance counterpart of LowRankGaussian, whose precision is of low rank: that one knows L
// directions better than the others, this one knows L directions less well. At first they are
// random, in which they have the prior's variances, V: for a Q: D_h × L with orthonormal columns,
// of which no two share a weight,
//   f = floor · diag(V),   C = (1 − floor)^{1/2} V^{1/2} Q
// With L = D_h that is the prior itself.
// Options:
//   rank   L, 1 ≤ L ≤ D_h; 50 unless given, D_h when that is less; 0 of a model without hidden
//          layers
//   floor  in [0, 1], of the prior's variances; 0.01 unless given
struct LowRankHiddenGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "low_rank_hidden";
  static constexpr bool kDiffuses = true;

  using Projector = LocalLowRankHidden;
  using Sampler = LowRankHiddenSampler;
  using Divergence = LowRankHiddenDivergence;

  Vector mean;        // m: D, those of the hidden layers first
  Vector floor;       // f: D_h, none negative
  Matrix factor;      // C: D_h × L
  Matrix covariance;  // P: D_ℓ × D_ℓ; only the lower triangle is ever read

  absl::Status Configure(Options& options, const Layers& layers);
  absl::Status CheckSize(Index params) const;
  LowRankHiddenGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("floor", s.floor);
    a.Value("factor", s.factor);
    a.LowerTriangle("covariance", s.covariance);
  }

  Index size() const { return mean.size(); }
  Index hidden() const { return floor.size(); }     // D_h
  Index last() const { return covariance.rows(); }  // D_ℓ, of a prototype as well
  Index rank() const { return factor.cols(); }      // L, of a prototype as well
  Index num_correlated() const { return last(); }
  double SpreadNumbers(const Layers& layers) const {  // D_h (L + 1) + D_ℓ²
    const auto of_hidden = static_cast<double>(NumParams(layers) - last());
    return of_hidden * static_cast<double>(rank() + 1) + SquareOf(last());
  }
  bool IsFinite() const;
  bool IsSound(Index params) const;
  bool HasShapeOf(const LowRankHiddenGaussian& other) const {
    return rank() == other.rank() && last() == other.last();
  }

  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  // Carry treats the last layer's weights as any of a full covariance; those of the first hidden
  // layer as a whole, once the model has settled.
  absl::Status Carry(const Carrying& by, CarryingScratch& w);

 private:
  double share_ = 0;  // of a prototype: floor
};

// LowRankHiddenSampler draws m + (f^{1/2} ∘ z₁ + C z₂, R z₃) with R Rᵀ = P.
class LowRankHiddenSampler {
 public:
  absl::Status Prepare(const LowRankHiddenGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Vector mean_, deviation_, normal_;
  Matrix factor_, last_factor_;
};

// LowRankHiddenDivergence offers no KL: there is none where the floor is 0.
class LowRankHiddenDivergence {
 public:
  static std::optional<double> Kl(const LowRankHiddenGaussian&, const LowRankHiddenGaussian&) {
    return std::nullopt;
  }
};

}  // namespace prequel
