// N(mean, diag(precision)⁻¹): O(D) memory.
#pragma once

#include <algorithm>
#include <string_view>

#include "absl/status/status.h"
#include "core/linalg/sum_log.h"
#include "core/linalg/tiles.h"
#include "core/linalg/types.h"
#include "core/posteriors/carrying.h"
#include "core/posteriors/posterior_defaults.h"
#include "core/random/philox.h"

namespace prequel {

class DiagonalDivergence;
class DiagonalSampler;
class LocalDiagonal;

struct DiagonalGaussian : PosteriorDefaults {
  static constexpr std::string_view kName = "diagonal";
  static constexpr bool kIsVectors = true;
  static constexpr bool kDiffuses = true;

  static absl::Status Configure(Options& options, const Layers& /*layers*/) {
    options.Describe("a variance for each weight", "2 D numbers, up to 67 million weights");
    return options.Finish();
  }

  using Projector = LocalDiagonal;
  using Sampler = DiagonalSampler;
  using Divergence = DiagonalDivergence;

  Vector mean;       // D
  Vector precision;  // D, positive

  static DiagonalGaussian FromDiagonal(const Vector& mean, const Vector& variances) {
    DiagonalGaussian q;
    q.mean = mean;
    q.precision = variances.cwiseInverse();
    return q;
  }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("mean", s.mean);
    a.Value("precision", s.precision);
  }

  Index size() const { return mean.size(); }
  static double SpreadNumbers(const Layers& layers) {  // D
    return static_cast<double>(NumParams(layers));
  }
  Anchor anchor() const { return {.precision = &precision}; }
  // least_positive is the least of what must stay above 0 when it is rounded to floats.
  double least_positive() const { return precision.minCoeff(); }
  bool IsFinite() const {
    // 0 · x is NaN for the x that are not finite; a sum vectorises, a test per element does not.
    double zero = 0, least = 1;
    ForEachTile(size(), [&](Index start, Index count) {
      const auto precisions = precision.segment(start, count).array();
      zero += (0 * (mean.segment(start, count).array() + precisions)).sum();
      least = std::min(least, precisions.minCoeff());
    });
    return zero == 0 && least > 0;
  }
  bool IsSound(Index params) const {
    return mean.size() == params && precision.size() == params && IsFinite();
  }

  // Diffuse sets λ to 1/(k/λ + a).
  void Diffuse(const Vector& keep, const Vector& added, Matrix& /*scratch*/) {
    precision.array() /= keep.array() + added.array() * precision.array();
  }
  // Carry leaves out what the family cannot hold: the covariance of a weight with its unit's bias.
  absl::Status Carry(const Carrying& by, CarryingScratch& scratch) {
    const WeightMap map = by.OfAll();
    BlockScratch& w = scratch.first;
    CarryDiagonal(map, by, precision, w);
    map.Apply(mean);
    PullToPrior(map, by.prior_mean, w.prior, by.stands, mean, w);
    mean.array() += w.pull.array() / precision.array();
    return absl::OkStatus();
  }
};

// DiagonalDivergence is KL(q ‖ p), nats.
class DiagonalDivergence {
 public:
  double Kl(const DiagonalGaussian& q, const DiagonalGaussian& p) const {
    const auto moved = (q.mean - p.mean).array().square();
    const double sum = (p.precision.array() * (q.precision.array().inverse() + moved) - 1).sum();
    return 0.5 * (sum + SumLog(q.precision) - SumLog(p.precision));
  }
};

// DiagonalSampler draws mean + precision^{-1/2} ∘ z.
class DiagonalSampler {
 public:
  absl::Status Prepare(const DiagonalGaussian& posterior) {
    mean_ = posterior.mean;
    deviation_ = posterior.precision.array().rsqrt();
    return absl::OkStatus();
  }
  void Draw(const Stream& stream, Vector& theta) {
    theta.resize(mean_.size());
    FillNormal(stream, theta);
    theta.array() = mean_.array() + deviation_.array() * theta.array();
  }

 private:
  Vector mean_, deviation_;
};

}  // namespace prequel
