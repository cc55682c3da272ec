#include "core/posteriors/local_per_unit.h"

#include <algorithm>

namespace prequel {

// A curvature column of a unit for each example: of the `columns` of all logits, C or C − 1.
absl::Status LocalPerUnit::Begin(const PerUnitGaussian& prior, Index columns, bool draws) {
  prior_ = &prior;
  mean_ = prior.mean;
  attached_ = false;
  const Index per_example = std::max<Index>(1, prior.layers.back().outputs - 1);
  units_.resize(prior.units.size());
  for (std::size_t u = 0; u < units_.size(); ++u) {
    absl::Status status = units_[u].Begin(prior.units[u].covariance, columns / per_example, draws);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Layers whose inputs are as they were, such as the first, stay attached. Each layer has scratch of
// its own, which so keeps its size.
void LocalPerUnit::Attach(Expansion& expansion) {
  const std::size_t layers = prior_->layers.size();
  inputs_.resize(2 * layers);
  std::size_t unit = 0;
  for (std::size_t l = 0; l < layers; ++l) {
    const auto outputs = static_cast<std::size_t>(prior_->layers[l].outputs);
    Matrix& fresh = inputs_[layers + l];
    expansion.UnitInputs(static_cast<Index>(l), fresh);
    const bool stays = attached_ && inputs_[l].cols() == fresh.cols() && inputs_[l] == fresh;
    if (!stays) {
      inputs_[l] = fresh;
      for (std::size_t u = unit; u < unit + outputs; ++u) {
        units_[u].jacobian() = inputs_[l];
        units_[u].Attach();
      }
    }
    unit += outputs;
  }
  attached_ = true;
}

void LocalPerUnit::Project(Expansion& expansion) {
  Attach(expansion);
  variances_.resize(static_cast<Index>(units_.size()), expansion.examples());
  for (std::size_t u = 0; u < units_.size(); ++u) {
    units_[u].Project(1, false, variance_);
    variances_.row(static_cast<Index>(u)) = variance_.row(0);
  }
  expansion.UnitCovariance(variances_);
}

void LocalPerUnit::StartCurve() {
  for (FullBlock& unit : units_) unit.StartCurve();
}

void LocalPerUnit::AddCurve(Expansion& expansion, double weight) {
  expansion.UnitScores(scores_);
  expansion.UnitCurvatures(curvatures_);
  for (std::size_t u = 0; u < units_.size(); ++u) {
    local_.score = scores_.row(static_cast<Index>(u));
    local_.root = curvatures_.row(static_cast<Index>(u)).cwiseSqrt();
    units_[u].AddCurve(local_, weight);
  }
}

absl::Status LocalPerUnit::SolveCurve() {
  for (FullBlock& unit : units_) {
    if (absl::Status status = unit.SolveCurve(); !status.ok()) return status;
  }
  return absl::OkStatus();
}

void LocalPerUnit::KeepCurve() {
  for (FullBlock& unit : units_) unit.KeepCurve();
}

void LocalPerUnit::SetMean() {
  mean_ = prior_->mean;
  ForEachUnit(prior_->layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    WeightsInto(layer, j, mean_) += units_[index].offset();
  });
}

void LocalPerUnit::Move(double rho) {
  for (FullBlock& unit : units_) unit.Move(rho);
  SetMean();
}

void LocalPerUnit::Accept() {
  for (FullBlock& unit : units_) unit.Accept();
}

void LocalPerUnit::Revert() {
  for (FullBlock& unit : units_) unit.Revert();
  SetMean();
}

double LocalPerUnit::kl() const {
  double sum = 0;
  for (const FullBlock& unit : units_) sum += unit.kl();
  return sum;
}

double LocalPerUnit::mean_kl() const {
  double sum = 0;
  for (const FullBlock& unit : units_) sum += unit.mean_kl();
  return sum;
}

void LocalPerUnit::Draw(const Stream& stream, bool negate, Vector& theta) {
  normal_.resize(mean_.size());
  FillNormal(stream, normal_);
  if (negate) normal_ = -normal_;
  theta = mean_;
  Index from = 0;
  ForEachUnit(prior_->layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    deviation_.resize(mean_.size());
    auto deviation = deviation_.head(layer.columns());
    deviation.setZero();
    units_[index].Deviate(normal_.segment(from, layer.columns()), deviation);
    WeightsInto(layer, j, theta) += deviation;
    from += layer.columns();
  });
}

absl::Status LocalPerUnit::Commit(PerUnitGaussian& next) {
  next.mean = mean_;
  next.layers = prior_->layers;
  next.units.resize(units_.size());
  for (std::size_t u = 0; u < units_.size(); ++u) units_[u].Commit(next.units[u].covariance);
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
