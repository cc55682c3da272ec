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

// A view: members and weights are somebody else's, and outlive it.
template <CountKernel K>
class MixedCounts {
 public:
  using Member = CountMixture<K>;
  static constexpr bool kDiscrete = true;

  MixedCounts() = default;  // to be assigned to
  // REQUIRES: at least one member, as many weights ≥ 0 that sum to 1. Members of weight 0 are as if
  // they were not there.
  MixedCounts(std::span<const Member> members, std::span<const double> weights)
      : members_(members), weights_(weights) {}

  double LogDensity(double y) const;  // log mass
  double Cdf(double y) const {
    return Average([y](const Member& d) { return d.Cdf(y); });
  }
  double Quantile(double p) const;
  // Σ_{k<y} Cdf(k)² + Σ_{k≥y} (1 − Cdf(k))², never negative, and right to 1e-4 of itself plus 1e-6
  // of the spread: of every member a curve (count_curve.h), and of the sums Gauss's rule by pieces.
  double Crps(double y) const;

  double Mean() const {
    return Average([](const Member& d) { return d.Mean(); });
  }
  double Variance() const { return EpistemicVariance() + AleatoricVariance(); }
  // Law of total variance: between the members' means, plus what is epistemic within them.
  double EpistemicVariance() const {
    const double mean = Mean();
    return Average([mean](const Member& d) {
      return (d.Mean() - mean) * (d.Mean() - mean) + d.EpistemicVariance();
    });
  }
  double AleatoricVariance() const {
    return Average([](const Member& d) { return d.AleatoricVariance(); });
  }

 private:
  template <class F>
  double Average(F f) const {
    double sum = 0;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (weights_[k] > 0) sum += weights_[k] * f(members_[k]);
    }
    return sum;
  }

  std::span<const Member> members_;
  std::span<const double> weights_;
};

extern template class MixedCounts<PoissonKernel>;
extern template class MixedCounts<NegativeBinomialKernel>;

// What several D are together.
template <class D>
struct Mixed {
  using Type = Mixture<D>;
};
template <CountKernel K>
struct Mixed<CountMixture<K>> {
  using Type = MixedCounts<K>;
};

}  // namespace prequel
