#include "core/posteriors/subset_gaussian.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/config/learner_config.h"

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
  return size() == params && HasSoundSubset() && part.IsSound(count()) && IsFinite();
}

void SubsetGaussian::Assign(const Vector& mean_of_all, const Vector& variances,
                            std::vector<Index> of) {
  mean = mean_of_all;
  subset = std::move(of);
  part = FullGaussian::FromDiagonal(mean(subset), variances(subset));
}

void SubsetGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& /*scratch*/) {
  Matrix& covariance = part.covariance;
  for (Index j = 0; j < count(); ++j) {
    const Index column = subset[static_cast<std::size_t>(j)];
    for (Index i = j; i < count(); ++i) {
      covariance(i, j) *= std::sqrt(keep[subset[static_cast<std::size_t>(i)]] * keep[column]);
    }
    covariance(j, j) += added[column];
  }
}

void SubsetGaussian::Gather() {
  if (!HasSoundSubset()) return;
  part.mean.resize(count());
  for (Index k = 0; k < count(); ++k) part.mean[k] = mean[subset[static_cast<std::size_t>(k)]];
}

absl::Status LastLayerGaussian::Configure(Options& options, const Layers& layers) {
  options.Describe("a covariance of the last layer; hidden layers stay as the prior has them",
                   "the square of the last layer, up to 8192 weights");
  const Index size = layers.back().size();
  if (size > ConfigLimits::kMaxFullParameters) {
    return FieldError("config.model",
                      absl::StrCat("has ", size, " parameters in its last layer; at most ",
                                   ConfigLimits::kMaxFullParameters,
                                   " fit a full covariance: use posterior \"diagonal\" or a "
                                   "smaller network"));
  }
  subset.resize(static_cast<std::size_t>(size));
  std::iota(subset.begin(), subset.end(), layers.back().offset);
  return options.Finish();
}

LastLayerGaussian LastLayerGaussian::FromDiagonal(const Vector& prior_mean,
                                                  const Vector& variances) const {
  LastLayerGaussian q;
  q.Assign(prior_mean, variances, subset);
  return q;
}

absl::Status LastLayerGaussian::Carry(const Carrying& by, CarryingScratch& w) {
  const std::size_t last = by.layers.size() - 1;
  const Index size = by.layers[last].size();
  const absl::Status status =
      CarryDense(by.OfLayer(last), by.prior_mean.tail(size), by.prior_precision.tail(size),
                 by.stands, mean.tail(size), part.covariance, w.last);
  Gather();
  return status;
}

absl::Status SubnetworkGaussian::Configure(Options& options, const Layers& layers) {
  options.Describe("a covariance of the S weights of largest prior variance", "S² numbers");
  const Index most = std::min(ConfigLimits::kMaxFullParameters, NumParams(layers));
  Index size = std::min(kUsualSize, most);
  options.Help("S, weights that are uncertain; at most D and 8192").Integer("size", &size, 1, most);
  subset.resize(static_cast<std::size_t>(size));
  return options.Finish();
}

SubnetworkGaussian SubnetworkGaussian::FromDiagonal(const Vector& prior_mean,
                                                    const Vector& variances) const {
  SubnetworkGaussian q;
  q.Assign(prior_mean, variances, LargestVariances(variances, count()));
  return q;
}

absl::Status SubnetworkGaussian::Carry(const Carrying& by, CarryingScratch& w) {
  const WeightMap map = by.OfAll();
  absl::Status status;
  if (count() == size()) {
    status = CarryDense(map, by.prior_mean, by.prior_precision, by.stands, mean, part.covariance,
                        w.first);
  } else {
    Vector& ratio = w.first.origin;
    ratio.setOnes(size());
    if (!by.settled) return status;
    map.Apply(mean);
    map.TurnBackPrecision(ratio);
    for (Index j = 0; j < count(); ++j) {
      for (Index i = j; i < count(); ++i) {
        part.covariance(i, j) /= std::sqrt(ratio[subset[static_cast<std::size_t>(i)]] *
                                           ratio[subset[static_cast<std::size_t>(j)]]);
      }
    }
  }
  Gather();
  return status;
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
