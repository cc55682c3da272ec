#include "core/posteriors/local_per_unit.h"

#include <algorithm>

namespace prequel {

// Begin counts one curvature column of a unit for each example: of the `columns` of all logits, C
// or C − 1.
absl::Status LocalPerUnit::Begin(const PerUnitGaussian& prior, Index columns, bool draws) {
  prior_ = &prior;
  mean_ = prior.mean;
  attached_ = false;
  const Index rows = columns / std::max<Index>(1, prior.layers.back().outputs - 1);
  by_rows_ = prior.layers.size() == 1 && !draws && rows <= prior.layers[0].columns();
  if (by_rows_) {
    rows_.resize(prior.units.size());
    for (std::size_t u = 0; u < rows_.size(); ++u) rows_[u].Begin(prior.units[u].covariance);
    return absl::OkStatus();
  }
  blocks_.resize(prior.units.size());
  for (std::size_t u = 0; u < blocks_.size(); ++u) {
    absl::Status status = blocks_[u].Begin(prior.units[u].covariance, rows, draws);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Attach leaves layers attached whose inputs are as they were, such as the first. Each layer has
// scratch of its own, which so keeps its size.
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
      for (std::size_t u = unit; u < unit + outputs; ++u) AttachUnit(u, inputs_[l]);
    }
    unit += outputs;
  }
  attached_ = true;
}

void LocalPerUnit::AttachUnit(std::size_t unit, const Matrix& inputs) {
  if (by_rows_) return rows_[unit].Attach(inputs);
  blocks_[unit].jacobian() = inputs;
  blocks_[unit].Attach();
}

void LocalPerUnit::Project(Expansion& expansion) {
  Attach(expansion);
  const auto units = static_cast<Index>(prior_->units.size());
  variances_.resize(units, expansion.examples());
  for (Index u = 0; u < units; ++u) {
    const auto unit = static_cast<std::size_t>(u);
    by_rows_ ? rows_[unit].Project(variance_) : blocks_[unit].Project(1, false, variance_);
    variances_.row(u) = variance_.row(0);
  }
  expansion.UnitCovariance(variances_);
}

void LocalPerUnit::StartCurve() {
  ForEachBlock([](auto& block) { block.StartCurve(); });
}

void LocalPerUnit::AddCurve(Expansion& expansion, double weight) {
  expansion.UnitScores(scores_);
  expansion.UnitCurvatures(curvatures_);
  for (Index u = 0; u < scores_.rows(); ++u) {
    const auto unit = static_cast<std::size_t>(u);
    local_.score = scores_.row(u);
    local_.root = curvatures_.row(u);
    if (by_rows_) {
      rows_[unit].AddCurve(local_.root, local_.score);
    } else {
      local_.root = local_.root.cwiseSqrt();
      blocks_[unit].AddCurve(local_, weight);
    }
  }
}

absl::Status LocalPerUnit::SolveCurve() {
  absl::Status status;
  ForEachBlock([&](auto& block) {
    if (status.ok()) status = block.SolveCurve();
  });
  return status;
}

void LocalPerUnit::KeepCurve() {
  ForEachBlock([](auto& block) { block.KeepCurve(); });
}

void LocalPerUnit::SetMean() {
  mean_ = prior_->mean;
  ForEachUnit(prior_->layers, [&](const DenseLayer& layer, Index j, std::size_t index) {
    WeightsInto(layer, j, mean_) += by_rows_ ? rows_[index].offset() : blocks_[index].offset();
  });
}

void LocalPerUnit::Move(double rho) {
  ForEachBlock([rho](auto& block) { block.Move(rho); });
  SetMean();
}

void LocalPerUnit::Accept() {
  ForEachBlock([](auto& block) { block.Accept(); });
}

void LocalPerUnit::Revert() {
  ForEachBlock([](auto& block) { block.Revert(); });
  SetMean();
}

double LocalPerUnit::kl() const {
  double sum = 0;
  ForEachBlock([&](const auto& block) { sum += block.kl(); });
  return sum;
}

double LocalPerUnit::mean_kl() const {
  double sum = 0;
  ForEachBlock([&](const auto& block) { sum += block.mean_kl(); });
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
    blocks_[index].Deviate(normal_.segment(from, layer.columns()), deviation);
    WeightsInto(layer, j, theta) += deviation;
    from += layer.columns();
  });
}

absl::Status LocalPerUnit::Commit(PerUnitGaussian& next) {
  next.mean = mean_;
  next.layers = prior_->layers;
  next.units.resize(prior_->units.size());
  std::size_t unit = 0;
  ForEachBlock([&](auto& block) { block.Commit(next.units[unit++].covariance); });
  if (!next.IsFinite()) {
    return absl::InternalError("the posterior is not finite after this minibatch");
  }
  return absl::OkStatus();
}

}  // namespace prequel
