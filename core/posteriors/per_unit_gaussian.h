// N(mean, P) where the weights into each unit (its row of [W b]) have a dense covariance, and those
// into different units none: O(Σ o c²) memory for layers of o units with c weights each. Of a
// linear model a unit is an output.
#pragma once

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

class LocalPerUnit;
class PerUnitDivergence;
class PerUnitSampler;

struct PerUnitGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "per_unit";
  static constexpr bool kIsOfUnits = true;
  static constexpr bool kDiffuses = true;

  using Projector = LocalPerUnit;
  using Sampler = PerUnitSampler;
  using Divergence = PerUnitDivergence;

  struct Unit {
    Matrix covariance;  // c × c, of its weights and then its bias; only the lower triangle is read

    Index size() const { return covariance.rows(); }

    template <class A, class Self>
    static void Fields(A& a, Self& s) {
      a.LowerTriangle("covariance", s.covariance);
    }
  };

  Vector mean;              // D
  std::vector<Unit> units;  // U: those of the first layer, of the second, …
  Layers layers;            // where they lie in θ: of the configuration, and not stored

  absl::Status Configure(Options& options, const Layers& of);
  absl::Status CheckSize(Index params) const;
  // FromDiagonal is N(mean, diag(variances)) of the layers of this one.
  PerUnitGaussian FromDiagonal(const Vector& mean, const Vector& variances) const;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("units", s.units);
  }

  Index size() const { return mean.size(); }
  Index num_correlated() const { return size(); }
  static double SpreadNumbers(const Layers& layers);  // Σ o c², of the layers' o units
  bool IsFinite() const;
  bool IsSound(Index params) const;
  bool HasShapeOf(const PerUnitGaussian& other) const;

  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
};

// WeightsInto are the weights into unit `j` of a layer, its bias last, in a vector laid out like θ.
template <class V>
auto WeightsInto(const DenseLayer& layer, Index j, V& theta) {
  return theta(Eigen::seqN(layer.offset + j, layer.columns(), layer.outputs));
}

// ForEachUnit calls visit(layer, its unit j, index among all units), first to last.
template <class Visit>
void ForEachUnit(const Layers& layers, const Visit& visit) {
  std::size_t index = 0;
  for (const DenseLayer& layer : layers) {
    for (Index j = 0; j < layer.outputs; ++j) visit(layer, j, index++);
  }
}

// PerUnitSampler draws mean + L_j z_j for each unit j, L_j L_jᵀ its covariance.
class PerUnitSampler {
 public:
  absl::Status Prepare(const PerUnitGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Layers layers_;
  Vector mean_, normal_, deviation_;
  std::vector<Matrix> factors_;
};

// PerUnitDivergence is KL(q ‖ p) in nats, the sum of the units'. REQUIRES: q.HasShapeOf(p).
class PerUnitDivergence {
 public:
  double Kl(const PerUnitGaussian& q, const PerUnitGaussian& p);

 private:
  FullDivergence unit_;
  Vector moved_;
};

}  // namespace prequel
