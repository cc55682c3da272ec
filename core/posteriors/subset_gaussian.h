// A Gaussian over some of the weights, and the others known: a full covariance where a few weights
// of a large network are to say how sure it is. O(D + S²) memory for S of D weights.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/linalg/types.h"
#include "core/models/layer.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/full_gaussian.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

template <class Q>
class LocalSubset;
template <class Q>
class SubsetSampler;
template <class Q>
class SubsetDivergence;

// Scatter sets θ_S := values.
void Scatter(const Vector& values, const std::vector<Index>& subset, Vector& theta);

// SubsetGaussian is θ_S ~ N(m_S, P), and θ_j = m_j for the others.
struct SubsetGaussian : PosteriorDefaults {
  static constexpr bool kDiffuses = true;

  Vector mean;                // m: D
  std::vector<Index> subset;  // S, increasing
  FullGaussian part;          // N(m_S, P): of the weights in S

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("subset", s.subset);
    a.LowerTriangle("covariance", s.part.covariance);
    if constexpr (A::kReading) s.Gather();
  }

  Index size() const { return mean.size(); }
  // count is |S|, of a prototype as well.
  Index count() const { return static_cast<Index>(subset.size()); }
  Index num_correlated() const { return count(); }
  double SpreadNumbers(const Layers& /*layers*/) const {  // |S|², and where they stand
    return SquareOf(count()) + 2 * static_cast<double>(count());
  }
  Index first_uncertain() const { return subset.empty() ? size() : subset.front(); }
  bool IsFinite() const { return mean.allFinite() && part.IsFinite(); }
  bool IsSound(Index params) const;
  bool HasShapeOf(const SubsetGaussian& other) const { return count() == other.count(); }

  // Assign makes N(mean, diag(variances)) of the weights in `subset`.
  void Assign(const Vector& mean, const Vector& variances, std::vector<Index> subset);
  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  // Gather sets part.mean := m_S, of a subset that IsSound; else nothing.
  void Gather();

 private:
  bool HasSoundSubset() const;
};

// LastLayerGaussian has the last layer as S: the hidden layers are features, fixed at the prior's
// mean, and the model is linear in what is learned.
struct LastLayerGaussian : SubsetGaussian {
  static constexpr std::string_view kName = "last_layer";

  using Projector = LocalSubset<LastLayerGaussian>;
  using Sampler = SubsetSampler<LastLayerGaussian>;
  using Divergence = SubsetDivergence<LastLayerGaussian>;

  bool HasShapeOf(const LastLayerGaussian& other) const { return subset == other.subset; }

  absl::Status Configure(Options& options, const Layers& layers);
  // Carry carries the last layer alone: hidden layers are the prior's, of the new units.
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
  LastLayerGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;
};

// S is the weights of the largest prior variance, ties by index: of all subsets of that size, the
// one whose Gaussian, a point elsewhere, is nearest to N(m₀, diag(v)) in Wasserstein's distance
// (Daxberger, Nalisnick, Allingham, Antorán, Hernández-Lobato 2021, "Bayesian deep learning via
// subnetwork inference", section 4).
// Options:
//   size  |S|, 1 ≤ |S| ≤ D and what a full covariance may be of; 512 unless given, D when that is
//         less
struct SubnetworkGaussian : SubsetGaussian {
  static constexpr std::string_view kName = "subnetwork";

  using Projector = LocalSubset<SubnetworkGaussian>;
  using Sampler = SubsetSampler<SubnetworkGaussian>;
  using Divergence = SubsetDivergence<SubnetworkGaussian>;

  absl::Status Configure(Options& options, const Layers& layers);
  // Carry carries all weights as a whole, once the model has settled, and of the covariance what a
  // weight's own unit makes of it.
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
  SubnetworkGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;
};

// LargestVariances are the places of the `count` largest of `variances`, increasing; of equal ones
// the first.
std::vector<Index> LargestVariances(const Vector& variances, Index count);

// SubsetSampler draws θ_S, and m elsewhere.
template <class Q>
class SubsetSampler {
 public:
  absl::Status Prepare(const Q& posterior) {
    mean_ = posterior.mean;
    subset_ = posterior.subset;
    return part_.Prepare(posterior.part);
  }
  void Draw(const Stream& stream, Vector& theta) {
    part_.Draw(stream, drawn_);
    theta = mean_;
    Scatter(drawn_, subset_, theta);
  }

 private:
  Vector mean_;
  std::vector<Index> subset_;
  FullSampler part_;
  Vector drawn_;  // θ_S
};

// SubsetDivergence offers no KL: there is none in general, since what is a point in one may be
// anything in another.
template <class Q>
class SubsetDivergence {
 public:
  static std::optional<double> Kl(const Q&, const Q&) { return std::nullopt; }
};

}  // namespace prequel
