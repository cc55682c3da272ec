// K members with equal weights: the predictive by Monte Carlo over the weights of the model.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/distributions/poisson_mixture.h"
#include "core/distributions/student_t.h"
#include "core/linalg/types.h"

namespace prequel {

template <class D>
class Mixture {
 public:
  // REQUIRES: at least one member.
  explicit Mixture(std::vector<D> members) : members_(std::move(members)) {}

  double LogDensity(double y) const {
    double top = -std::numeric_limits<double>::infinity();
    for (const D& member : members_) top = std::max(top, member.LogDensity(y));
    if (std::isinf(top)) return top;
    return top + std::log(Average([&](const D& d) { return std::exp(d.LogDensity(y) - top); }));
  }
  double Cdf(double y) const {
    return Average([&](const D& d) { return d.Cdf(y); });
  }
  // The least y (of the counts, for counts) with Cdf(y) ≥ p, which lies between the members'.
  double Quantile(double p) const;
  double Crps(double y) const;  // ∫ (Cdf(x) − 1{x ≥ y})² dx, to about 1e-6 of the scale

  double Mean() const {
    return Average([](const D& d) { return d.Mean(); });
  }
  double Variance() const { return EpistemicVariance() + AleatoricVariance(); }
  // Law of total variance: between the members' means, plus what is epistemic within them.
  double EpistemicVariance() const {
    const double mean = Mean();
    return Average([mean](const D& d) {
      return (d.Mean() - mean) * (d.Mean() - mean) + d.EpistemicVariance();
    });
  }
  double AleatoricVariance() const {
    return Average([](const D& d) { return d.AleatoricVariance(); });
  }

 private:
  template <class F>
  double Average(F f) const {
    double sum = 0;
    for (const D& member : members_) sum += f(member);
    return sum / static_cast<double>(members_.size());
  }

  std::vector<D> members_;
};

template <>
double Mixture<StudentT>::Quantile(double p) const;
template <>
double Mixture<StudentT>::Crps(double y) const;
template <>
double Mixture<PoissonMixture>::Quantile(double p) const;
template <>
double Mixture<PoissonMixture>::Crps(double y) const;

}  // namespace prequel
