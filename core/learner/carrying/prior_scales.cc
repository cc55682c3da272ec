#include "core/learner/carrying/prior_scales.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <type_traits>
#include <variant>
#include <vector>

#include "core/learner/belief.h"
#include "core/learner/prediction.h"

namespace prequel {
namespace {

constexpr double kPriorWeights = 1;                   // ν
constexpr double kLeast = 1.0 / 64, kMost = 1 << 24;  // κ
constexpr double kEnough = 1.1;                       // as a factor, to move by
constexpr double kMoreRows = 1.25;
constexpr double kMostOfNoise = 0.9;  // that a change may take of a drifting belief's squares

// ForEachGroup calls visit(group, first weight, weights) of each group.
template <class Visit>
void ForEachGroup(const Problem& problem, const Visit& visit) {
  const DenseLayer& layer = problem.layers.front();
  Index group = 0;
  for (const ColumnGroup& columns : problem.encoder.Groups()) {
    visit(group++, layer.offset + columns.first * layer.outputs, columns.size * layer.outputs);
  }
}

// CovarianceOf is the dense covariance of all weights; null for families without one.
const Matrix* CovarianceOf(const Posterior& posterior) {
  return std::visit([](const auto& q) { return q.anchor().covariance; }, posterior);
}

// IsDue: whether there are a quarter more rows, once in a while.
bool IsDue(std::int64_t before, std::int64_t after) {
  const auto quarters = [](std::int64_t rows) {
    return std::floor(std::log(static_cast<double>(rows)) / std::log(kMoreRows));
  };
  return before > 0 && quarters(after) > quarters(before);
}

// NewScale is κ as it was, or what the weights say.
double NewScale(double before, double estimate) {
  const double scale = std::clamp(estimate, kLeast, kMost);
  return std::max(scale, before) < kEnough * std::min(scale, before) ? before : scale;
}

void FindScales(const Problem& problem, std::size_t k, const Belief& belief, Vector& scales) {
  scales = belief.prior_scales;
  if (scales.size() == 0) scales.setOnes(NumPriorScales(problem));
  const Matrix* covariance = CovarianceOf(belief.posterior);
  if (covariance == nullptr || belief.noise.shape.size() == 0) return;
  const Vector& mean = MeanOf(belief.posterior);
  const Vector& precision = problem.PriorOf(static_cast<Index>(k)).precision;
  const Index outputs = problem.num_logits();
  const bool drifts = Drifts(problem, k), numbers = problem.encoder.num_input_columns() > 0;
  ForEachGroup(problem, [&](Index group, Index first, Index weights) {
    if (drifts && numbers && group == 0) return;
    double told = 0, size = 0;
    for (Index i = first; i < first + weights; ++i) {
      const Index o = (i - first) % outputs;
      const double off = mean[i] - problem.prior_mean[i];
      size += precision[i] * off * off * belief.noise.shape[o] / belief.noise.rate[o];
      told += std::max(0.0, 1 - precision[i] * (*covariance)(i, i) / scales[group]);
    }
    scales[group] = NewScale(scales[group], (kPriorWeights + size) / (kPriorWeights + told));
  });
}

}  // namespace

Index NumPriorScales(const Problem& problem) {
  return problem.learns_prior_scale ? static_cast<Index>(problem.encoder.Groups().size()) : 0;
}

bool FindPriorScales(const Problem& problem, const LearnerState& state, std::int64_t examples,
                     Workspace& w) {
  std::vector<Vector>& scales = w.units.scales;
  scales.resize(state.beliefs.size());
  if (!IsDue(state.examples, examples) || NumPriorScales(problem) == 0) {
    for (std::size_t k = 0; k < scales.size(); ++k) scales[k] = state.beliefs[k].prior_scales;
    return false;
  }
  bool moved = false;
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const Belief& belief = state.beliefs[k];
    FindScales(problem, k, belief, scales[k]);
    const bool same = belief.prior_scales.size() > 0 ? scales[k] == belief.prior_scales
                                                     : (scales[k].array() == 1).all();
    if (same) scales[k] = belief.prior_scales;
    moved = moved || !same;
  }
  return moved;
}

void ScalePriorPrecision(const Problem& problem, std::size_t k, const Vector& scales,
                         Vector& precision) {
  precision = problem.PriorOf(static_cast<Index>(k)).precision;
  if (scales.size() == 0) return;
  ForEachGroup(problem, [&](Index group, Index first, Index weights) {
    precision.segment(first, weights) /= scales[group];
  });
}

absl::Status ChangePriorScales(const Problem& problem, std::size_t k, Workspace& w) {
  UnitsMove& move = w.units;
  Belief& belief = move.beliefs[k];
  const Vector &scales = move.scales[k], &before = belief.prior_scales;
  if (scales.size() == 0) return absl::OkStatus();
  if (before.size() > 0 && before == scales) return absl::OkStatus();
  ScalePriorPrecision(problem, k, belief.prior_scales, move.before);
  ScalePriorPrecision(problem, k, move.scales[k], move.after);
  belief.prior_scales = move.scales[k];
  BlockScratch& scratch = move.scratch.first;
  absl::Status status = std::visit(
      [&]<class Q>(Q& q) -> absl::Status {
        if constexpr (Q::kIsDense) {
          return ChangeDensePrior(problem.prior_mean, move.before, move.after, !Drifts(problem, k),
                                  q.mean, q.covariance, scratch);
        }
        return absl::OkStatus();
      },
      belief.posterior);
  if (!status.ok()) return status;
  const DenseLayer& layer = problem.layers.front();
  const Eigen::Map<const Matrix> squares(scratch.pull.data() + layer.offset, layer.outputs,
                                         layer.inputs);
  // The rate that is left of a belief that stands is at least what the noise began with, except for
  // rounding.
  const double first = Drifts(problem, k) ? 0 : problem.noise().rate;
  const auto learn = [&](NoiseState& noise) {
    for (Index o = 0; o < noise.rate.size(); ++o) {
      const double held = first > 0 ? first : (1 - kMostOfNoise) * noise.rate[o];
      const double left = noise.rate[o] + 0.5 * squares.row(o).sum();
      noise.rate[o] = std::max(left, std::min(held, noise.rate[o]));
    }
  };
  learn(belief.noise);
  // The first track is of all rows, as the noise is.
  if (!belief.tracks.empty()) learn(belief.tracks.front());
  return absl::OkStatus();
}

}  // namespace prequel
