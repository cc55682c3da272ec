#include "core/posteriors/subset_gaussian.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

namespace prequel {
namespace {

constexpr Index kUsualSize = 512;

}  // namespace

void Scatter(const Vector& values, const std::vector<Index>& subset, Vector& theta) {
  for (std::size_t k = 0; k < subset.size(); ++k) theta[subset[k]] = values[static_cast<Index>(k)];
}

bool SubsetGaussian::HasSoundSubset() const {
  return !subset.empty() && subset.front() >= 0 && subset.back() < size() &&
         std::adjacent_find(subset.begin(), subset.end(), std::greater_equal<>()) == subset.end();
}

bool SubsetGaussian::IsSound(Index params) const {
  const auto count = static_cast<Index>(subset.size());
  return size() == params && HasSoundSubset() && part.IsSound(count) && IsFinite();
}

void SubsetGaussian::Assign(const Vector& mean_of_all, const Vector& variances,
                            std::vector<Index> of) {
  mean = mean_of_all;
  subset = std::move(of);
  part = FullGaussian::FromDiagonal(mean(subset), variances(subset));
}

void SubsetGaussian::Gather() {
  if (!HasSoundSubset()) return;
  part.mean.resize(static_cast<Index>(subset.size()));
  for (std::size_t k = 0; k < subset.size(); ++k)
    part.mean[static_cast<Index>(k)] = mean[subset[k]];
}

bool LastLayerGaussian::IsSound(Index params) const {
  return SubsetGaussian::IsSound(params) && static_cast<Index>(subset.size()) == count &&
         subset.front() == first;
}

absl::Status LastLayerGaussian::Configure(Options& options, const Layers& layers) {
  first = layers.back().offset;
  count = layers.back().size();
  return options.Finish();
}

LastLayerGaussian LastLayerGaussian::FromDiagonal(const Vector& prior_mean,
                                                  const Vector& variances) const {
  std::vector<Index> last(static_cast<std::size_t>(count));
  std::iota(last.begin(), last.end(), first);
  LastLayerGaussian q;
  q.first = first;
  q.count = count;
  q.Assign(prior_mean, variances, std::move(last));
  return q;
}

bool SubnetworkGaussian::IsSound(Index params) const {
  return SubsetGaussian::IsSound(params) && static_cast<Index>(subset.size()) == count;
}

absl::Status SubnetworkGaussian::Configure(Options& options, const Layers& layers) {
  count = std::min(kUsualSize, NumParams(layers));
  options.Integer("size", &count, 1, NumParams(layers));
  return options.Finish();
}

SubnetworkGaussian SubnetworkGaussian::FromDiagonal(const Vector& prior_mean,
                                                    const Vector& variances) const {
  SubnetworkGaussian q;
  q.count = count;
  q.Assign(prior_mean, variances, LargestVariances(variances, count));
  return q;
}

std::vector<Index> LargestVariances(const Vector& variances, Index count) {
  std::vector<Index> places(static_cast<std::size_t>(variances.size()));
  std::iota(places.begin(), places.end(), Index{0});
  const auto end = places.begin() + count;
  std::nth_element(places.begin(), end, places.end(), [&](Index i, Index j) {
    return variances[i] != variances[j] ? variances[i] > variances[j] : i < j;
  });
  places.erase(end, places.end());
  std::sort(places.begin(), places.end());
  return places;
}

}  // namespace prequel
