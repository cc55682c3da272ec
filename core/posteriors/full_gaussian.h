// N(mean, covariance) with a dense covariance: O(D²) memory.
#pragma once

#include <string_view>

#include "absl/status/status.h"
#include "core/linalg/types.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class FullDivergence;
class FullSampler;
class LocalFull;

struct FullGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "full";
  static constexpr bool kIsDense = true;
  static constexpr bool kDiffuses = true;

  static absl::Status Configure(Options& options, const Layers& /*layers*/) {
    options.Describe("every covariance", "D² numbers, up to 8192 weights");
    return options.Finish();
  }

  using Projector = LocalFull;
  using Sampler = FullSampler;
  using Divergence = FullDivergence;

  Vector mean;        // D
  Matrix covariance;  // D × D; only the lower triangle is ever read

  static absl::Status CheckSize(Index params);
  // FromDiagonal is N(mean, diag(variances)).
  static FullGaussian FromDiagonal(const Vector& mean, const Vector& variances);

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.LowerTriangle("covariance", s.covariance);
  }

  Index size() const { return mean.size(); }
  Index num_correlated() const { return size(); }
  static double SpreadNumbers(const Layers& layers) {  // D²
    return SquareOf(NumParams(layers));
  }
  Anchor anchor() const { return {.covariance = &covariance}; }
  bool IsFinite() const;
  bool IsSound(Index params) const {
    return mean.size() == params && covariance.rows() == params && IsFinite();
  }

  void Diffuse(const Vector& keep, const Vector& added, Matrix& scratch);
  absl::Status Carry(const Carrying& by, CarryingScratch& w);
};

// DiffuseCovariance sets P ← diag(√k) P diag(√k) + diag(a), in the lower triangle.
void DiffuseCovariance(ConstVectorRef keep, ConstVectorRef added, Matrix& covariance);

// FactorCovariance writes L with L Lᵀ = `covariance` to the lower triangle of `factor`. INTERNAL
// when the covariance is no longer positive definite. Only lower triangles are read.
absl::Status FactorCovariance(const Matrix& covariance, Matrix& factor);

// FullSampler is a Gaussian as something that can be drawn from repeatedly: draw(z) = mean + L z.
class FullSampler {
 public:
  absl::Status Prepare(const FullGaussian& posterior);
  void Draw(const Stream& stream, Vector& theta);

 private:
  Vector mean_, normal_;
  Matrix factor_;
};

// FullDivergence is KL(q ‖ p) in nats; infinity when either is not positive definite. 5D³/3 flops.
class FullDivergence {
 public:
  double Kl(const FullGaussian& q, const FullGaussian& p) {
    moved_ = q.mean - p.mean;
    return Kl(q.covariance, p.covariance, moved_);
  }
  // Kl of two covariances, with means that are `moved` apart.
  double Kl(const Matrix& q, const Matrix& p, ConstVectorRef moved);

 private:
  Matrix root_, p_root_;
  Vector moved_, solved_;
};

}  // namespace prequel
