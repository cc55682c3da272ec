#include "core/posteriors/per_unit_gaussian.h"

#include <algorithm>

#include "core/config/learner_config.h"
#include "core/posteriors/part_sizes.h"

namespace prequel {

absl::Status PerUnitGaussian::Configure(Options& options, const Layers& of) {
  options.Describe("every covariance of the weights into a unit, of a linear model into an output",
                   "squares of units' sizes, together up to 67 million");
  layers = of;
  units.clear();
  ForEachUnit(layers, [&](const DenseLayer& layer, Index, std::size_t) {
    units.push_back({Matrix(layer.columns(), 0)});
  });
  return options.Finish();
}

absl::Status PerUnitGaussian::CheckSize(Index params) const {
  absl::Status status = PosteriorDefaults::CheckSize(params);
  if (!status.ok()) return status;
  PartSizes sizes;
  for (const Unit& unit : units) sizes.Add(unit.size());
  return sizes.Check(kName, ConfigLimits::kMaxFullParameters);
}

PerUnitGaussian PerUnitGaussian::FromDiagonal(const Vector& prior_mean,
                                              const Vector& variances) const {
  PerUnitGaussian q;
  q.mean = prior_mean;
  q.layers = layers;
  ForEachUnit(layers, [&](const DenseLayer& layer, Index j, std::size_t) {
    q.units.push_back({Matrix(Vector(WeightsInto(layer, j, variances)).asDiagonal())});
  });
  return q;
}

bool PerUnitGaussian::IsFinite() const {
  return mean.allFinite() && std::all_of(units.begin(), units.end(), [](const Unit& unit) {
           return unit.covariance.diagonal().allFinite() &&
                  (unit.size() == 0 || unit.covariance.diagonal().minCoeff() > 0);
         });
}

bool PerUnitGaussian::IsSound(Index params) const {
  std::size_t count = 0;
  bool fits = true;
  ForEachUnit(layers, [&](const DenseLayer& layer, Index, std::size_t index) {
    fits = fits && index < units.size() && units[index].size() == layer.columns();
    ++count;
  });
  return fits && count == units.size() && mean.size() == params && NumParams(layers) == params &&
         IsFinite();
}

bool PerUnitGaussian::HasShapeOf(const PerUnitGaussian& other) const {
  return std::equal(units.begin(), units.end(), other.units.begin(), other.units.end(),
                    [](const Unit& a, const Unit& b) { return a.size() == b.size(); });
}

void PerUnitGaussian::Diffuse(const Vector& keep, const Vector& added, Matrix& scratch) {
  ForEachUnit(layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    scratch.resize(size(), 2);
    auto some = scratch.topRows(layer.columns());
    some.col(0) = WeightsInto(layer, j, keep);
    some.col(1) = WeightsInto(layer, j, added);
    DiffuseCovariance(some.col(0), some.col(1), units[index].covariance);
  });
}

absl::Status PerUnitGaussian::Carry(const Carrying& by, CarryingScratch& scratch) {
  absl::Status status;
  std::size_t index = 0;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    BlockScratch& w = scratch.Of(l);
    for (Index j = 0; j < layers[l].outputs && status.ok(); ++j, ++index) {
      const WeightMap map = by.OfUnit(l, j);
      if (map.IsIdentity()) continue;
      w.gathered = WeightsInto(layers[l], j, mean);
      w.unit_prior_mean = WeightsInto(layers[l], j, by.prior_mean);
      w.unit_prior = WeightsInto(layers[l], j, by.prior_precision);
      status = CarryDense(map, w.unit_prior_mean, w.unit_prior, by.stands, w.gathered,
                          units[index].covariance, w);
      WeightsInto(layers[l], j, mean) = w.gathered;
    }
  }
  return status;
}

absl::Status PerUnitSampler::Prepare(const PerUnitGaussian& posterior) {
  mean_ = posterior.mean;
  layers_ = posterior.layers;
  factors_.resize(posterior.units.size());
  for (std::size_t u = 0; u < factors_.size(); ++u) {
    absl::Status status = FactorCovariance(posterior.units[u].covariance, factors_[u]);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

void PerUnitSampler::Draw(const Stream& stream, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  theta = mean_;
  Index from = 0;
  ForEachUnit(layers_, [&](const DenseLayer& layer, Index j, std::size_t index) {
    deviation_.resize(mean_.size());
    auto deviation = deviation_.head(layer.columns());
    deviation.noalias() =
        factors_[index].triangularView<Eigen::Lower>() * normal_.segment(from, layer.columns());
    WeightsInto(layer, j, theta) += deviation;
    from += layer.columns();
  });
}

double PerUnitDivergence::Kl(const PerUnitGaussian& q, const PerUnitGaussian& p) {
  double sum = 0;
  ForEachUnit(q.layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    moved_ = WeightsInto(layer, j, q.mean) - WeightsInto(layer, j, p.mean);
    sum += unit_.Kl(q.units[index].covariance, p.units[index].covariance, moved_);
  });
  return sum;
}

double PerUnitGaussian::SpreadNumbers(const Layers& layers) {
  double sum = 0;
  for (const DenseLayer& layer : layers) {
    sum += static_cast<double>(layer.outputs) * SquareOf(layer.columns());
  }
  return sum;
}

}  // namespace prequel
