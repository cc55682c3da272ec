// A weighted mixture of counts.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "core/distributions/count_mixture.h"
#include "core/distributions/mixture.h"
#include "core/distributions/negative_binomial_mixture.h"
#include "core/distributions/poisson_mixture.h"

namespace prequel {

// MixedCounts is a view: members and weights are somebody else's, and outlive it.
template <CountKernel K>
class MixedCounts {
 public:
  using Member = CountMixture<K>;
  static constexpr bool kDiscrete = true;

  MixedCounts() = default;  // to be assigned to
  // REQUIRES: at least one member, and as many weights.
  MixedCounts(std::span<const Member> members, const MixtureWeights& weights)
      : members_(members), weights_(weights) {}

  double LogDensity(double y) const;  // log mass
  double Cdf(double y) const {
    return AverageOf(members_, weights_.all, [y](const Member& d) { return d.Cdf(y); });
  }
  double Quantile(double p) const;
  // Crps is Σ_{k<y} Cdf(k)² + Σ_{k≥y} (1 − Cdf(k))², never negative, and right to 1e-4 of itself
  // plus 1e-6 of the spread: each member is taken as a curve (count_curve.h), and the sums by
  // Gauss's rule in pieces.
  double Crps(double y) const;

  double Mean() const { return MeanBy(weights_.of_moments, members_); }
  double Variance() const { return VarianceBy(weights_.of_moments, members_); }
  double EpistemicVariance() const { return EpistemicVarianceBy(weights_.of_moments, members_); }
  double AleatoricVariance() const { return AleatoricVarianceBy(weights_.of_moments, members_); }

 private:
  std::span<const Member> members_;
  MixtureWeights weights_;
};

extern template class MixedCounts<PoissonKernel>;
extern template class MixedCounts<NegativeBinomialKernel>;

// Mixed<D>::Type is the mixture of several D.
template <class D>
struct Mixed {
  using Type = Mixture<D>;
};
template <CountKernel K>
struct Mixed<CountMixture<K>> {
  using Type = MixedCounts<K>;
};

}  // namespace prequel
