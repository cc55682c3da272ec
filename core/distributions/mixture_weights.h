// Weights of a mixture's members, and its moments by them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace prequel {

// Densities and quantiles of a mixture are of all members. Its moments may be of fewer: what those
// say that hardly anything is believed of may be so far off that a mean or a variance would be of
// nothing else. Views.
struct MixtureWeights {
  MixtureWeights() = default;
  // REQUIRES: either ≥ 0, of sum 1, and as many as there are members. Members of weight 0 are as if
  // they were not there, even where what they say is infinite.
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

// Law of total variance: between the members' means, plus what is epistemic within them.
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

}  // namespace prequel
