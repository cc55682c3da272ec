// A weighted mixture of distributions of one kind: the predictive of several beliefs, or by Monte
// Carlo over the weights of the model. (That of counts is in mixed_counts.h.)
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "core/distributions/student_t.h"

namespace prequel {

// AtOutcome is what each member says of one outcome y, where somebody has worked that out for all
// of them together. A view, too.
struct AtOutcome {
  double y = std::numeric_limits<double>::quiet_NaN();
  const double* log_densities = nullptr;  // null: unknown
  const double* cdfs = nullptr;
};

// MixtureWeights weighs the members. Densities and quantiles of a mixture are of all of them, by
// `all`; moments may be of fewer, by `of_moments`: a member that is hardly believed may be so far
// off that a mean or a variance would be of nothing else. Views.
struct MixtureWeights {
  MixtureWeights() = default;
  // REQUIRES: both are ≥ 0, of sum 1, and as many as there are members. Members of weight 0 are as
  // if they were not there, even where what they say is infinite.
  MixtureWeights(std::span<const double> of_all, std::span<const double> of_some)
      : all(of_all), of_moments(of_some) {}
  MixtureWeights(std::span<const double> of_all) : MixtureWeights(of_all, of_all) {}
  MixtureWeights(const std::vector<double>& of_all) : MixtureWeights(std::span(of_all)) {}

  std::span<const double> all, of_moments;
};

// Σ_k w_k f(member k)
template <class D, class F>
double AverageOf(std::span<const D> members, std::span<const double> weights, const F& f) {
  double sum = 0;
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (weights[k] > 0) sum += weights[k] * f(members[k]);
  }
  return sum;
}

template <class D>
double MeanBy(std::span<const double> weights, std::span<const D> members) {
  return AverageOf(members, weights, [](const D& d) { return d.Mean(); });
}

// EpistemicVarianceBy, by the law of total variance, is the variance between the members' means
// plus what is epistemic within them.
template <class D>
double EpistemicVarianceBy(std::span<const double> weights, std::span<const D> members) {
  const double mean = MeanBy(weights, members);
  return AverageOf(members, weights, [mean](const D& d) {
    return (d.Mean() - mean) * (d.Mean() - mean) + d.EpistemicVariance();
  });
}

template <class D>
double AleatoricVarianceBy(std::span<const double> weights, std::span<const D> members) {
  return AverageOf(members, weights, [](const D& d) { return d.AleatoricVariance(); });
}

template <class D>
double VarianceBy(std::span<const double> weights, std::span<const D> members) {
  return EpistemicVarianceBy(weights, members) + AleatoricVarianceBy(weights, members);
}

// Mixture is a view: members and weights are somebody else's, and outlive it.
template <class D>
class Mixture {
 public:
  static_assert(!D::kDiscrete, "of counts there is MixedCounts");
  static constexpr bool kDiscrete = false;

  Mixture() = default;  // to be assigned to
  // REQUIRES: at least one member, and as many weights.
  Mixture(std::span<const D> members, const MixtureWeights& weights, const AtOutcome& at = {})
      : members_(members), weights_(weights), at_(at) {}

  double LogDensity(double y) const {
    if (y == at_.y && at_.log_densities != nullptr) return LogSum();
    const double top = Greatest([&](std::size_t k) { return members_[k].LogDensity(y); });
    if (std::isinf(top)) return top;
    return top + std::log(Average([&](const D& d) { return std::exp(d.LogDensity(y) - top); }));
  }
  double Cdf(double y) const {
    if (y == at_.y && at_.cdfs != nullptr) {
      return std::inner_product(weights_.all.begin(), weights_.all.end(), at_.cdfs, 0.0);
    }
    return Average([&](const D& d) { return d.Cdf(y); });
  }
  double Quantile(double p) const;
  double Crps(double y) const;  // to about 2e-4 of the scale

  double Mean() const { return MeanBy(weights_.of_moments, members_); }
  double Variance() const { return VarianceBy(weights_.of_moments, members_); }
  double EpistemicVariance() const { return EpistemicVarianceBy(weights_.of_moments, members_); }
  double AleatoricVariance() const { return AleatoricVarianceBy(weights_.of_moments, members_); }

 private:
  // Average is by the weights of all members.
  template <class F>
  double Average(const F& f) const {
    return AverageOf(members_, weights_.all, f);
  }
  // Greatest returns the greatest f(k) over the members k whose weight is positive.
  template <class F>
  double Greatest(F f) const {
    double greatest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < members_.size(); ++k) {
      if (weights_.all[k] > 0) greatest = std::max(greatest, f(k));
    }
    return greatest;
  }
  // LogSum is log Σ_k w_k p_k(y) at at_.y.
  double LogSum() const {
    const double top = Greatest([&](std::size_t k) { return at_.log_densities[k]; });
    if (std::isinf(top)) return top;
    double sum = 0;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      sum += weights_.all[k] * std::exp(at_.log_densities[k] - top);
    }
    return top + std::log(sum);
  }
  // Search finds the quantile by asking Cdf alone.
  double Search(double p) const;
  // QuantileRange is the least and the greatest of the members' p-quantiles; the mixture's lies
  // between them.
  std::pair<double, double> QuantileRange(double p) const;
  // Bracket contains the quantile as QuantileRange does, at less cost, though its ends are further
  // apart.
  std::pair<double, double> Bracket(double p) const;

  std::span<const D> members_;
  MixtureWeights weights_;
  AtOutcome at_;
};

template <class D>
std::pair<double, double> Mixture<D>::QuantileRange(double p) const {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const D& member : members_) {
    const double quantile = member.Quantile(p);
    low = std::min(low, quantile);
    high = std::max(high, quantile);
  }
  return {low, high};
}

// Bracket is Cantelli's inequality: μ − σ √((1−p)/p) ≤ quantile ≤ μ + σ √(p/(1−p)), whatever the
// distribution.
template <class D>
std::pair<double, double> Mixture<D>::Bracket(double p) const {
  const double mean = MeanBy(weights_.all, members_);
  const double deviation = std::sqrt(VarianceBy(weights_.all, members_));
  if (!std::isfinite(deviation)) return QuantileRange(p);
  return {mean - deviation * std::sqrt((1 - p) / p), mean + deviation * std::sqrt(p / (1 - p))};
}

// Search uses the secant through both ends of the bracket, with the value of an end halved that
// stays a second time (Illinois), and bisection where that has not halved the bracket in three
// steps. Every evaluation of Cdf asks all members, and this takes a dozen or two: condense a
// mixture of very many first (core/predictive/condensed.h).
template <class D>
double Mixture<D>::Search(double p) const {
  auto [low, high] = Bracket(p);
  double below = Cdf(low) - p, above = Cdf(high) - p;
  double before = high - low;  // three steps ago
  int stayed = 0;              // the end that the last step left alone: -1 low, 1 high
  for (int step = 1; step <= 200; ++step) {
    double x = low - below * (high - low) / (above - below);
    if (step % 3 == 0) {
      if (high - low > 0.5 * before) x = 0.5 * (low + high);
      before = high - low;
    }
    if (!(x > low && x < high)) x = 0.5 * (low + high);
    if (!(x > low && x < high)) break;
    const double here = Cdf(x) - p;
    if (here < 0) {
      low = x;
      below = here;
      if (std::exchange(stayed, 1) == 1) above *= 0.5;
    } else {
      high = x;
      above = here;
      if (std::exchange(stayed, -1) == -1) below *= 0.5;
    }
    if (std::abs(here) < 2e-15) return x;
  }
  return high;
}

template <class D>
double Mixture<D>::Quantile(double p) const {
  return Search(p);
}

// Quantile is right to 1e-10 in p, where that is between 1e-4 and 1 − 1e-4 and the members are 64
// or fewer.
template <>
double Mixture<StudentT>::Quantile(double p) const;

template <>
double Mixture<StudentT>::Crps(double y) const;

}  // namespace prequel
