#include "core/learner/noise.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace prequel {
namespace {

// Leaves room for `rows` residuals among the N examples of dataset mode.
void ForgetRepeated(const Problem& problem, Index rows, NoiseState& noise) {
  if (problem.dataset_size() == 0) return;
  const NoiseModel model = problem.noise();
  const double room = std::max(0.0, 0.5 * (problem.dataset_size() - static_cast<double>(rows)));
  for (Index c = 0; c < noise.shape.size(); ++c) {
    const double learned = noise.shape[c] - model.shape;
    if (learned <= room) continue;
    const double kept = room / learned;
    noise.shape[c] = model.shape + room;
    noise.rate[c] = model.rate + kept * (noise.rate[c] - model.rate);
  }
}

}  // namespace

NoiseState InitialNoise(const Problem& problem) {
  NoiseState noise;
  const NoiseModel model = problem.noise();
  if (!model.learned()) return noise;
  noise.shape = Vector::Constant(problem.num_logits(), model.shape);
  noise.rate = Vector::Constant(problem.num_logits(), model.rate);
  return noise;
}

void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out) {
  const NoiseModel model = problem.noise();
  switch (model.kind) {
    case NoiseModel::Kind::kNone:
      out.variance.resize(0);
      out.dof.resize(0);
      return;
    case NoiseModel::Kind::kLearned:
      out.variance = noise.rate.cwiseQuotient(noise.shape);
      out.dof = 2 * noise.shape;
      return;
    case NoiseModel::Kind::kGiven:
      problem.target_encoder.Scale(targets, out.variance);
      out.variance = model.variance * out.variance.array().square().inverse();
      out.dof.setConstant(out.variance.size(), std::numeric_limits<double>::infinity());
  }
}

void NoiseOfWeights(const Problem& problem, const NoiseLevel& noise, Vector& out) {
  const DenseLayer& layer = problem.layers.back();
  out.setOnes(problem.num_params());
  for (Index j = layer.offset; j < layer.offset + layer.size(); ++j) {
    out[j] = std::sqrt(noise.variance[layer.PlaceOf(j).output]);
  }
}

void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out) {
  PredictiveNoise(problem, targets, noise, out);
  if (problem.in_noise_units()) out.variance.setOnes();
}

absl::Status LearnNoise(const Problem& problem, const Matrix& targets, const Matrix& before,
                        const Matrix& after, NoiseState& noise) {
  const auto rows = static_cast<double>(after.cols());
  ForgetRepeated(problem, after.cols(), noise);
  for (Index c = 0; c < after.rows(); ++c) {
    const auto residual = targets.row(c) - after.row(c);
    const double energy = residual.dot(targets.row(c) - before.row(c));
    noise.shape[c] += 0.5 * rows;
    noise.rate[c] += 0.5 * std::max(energy, residual.squaredNorm());
  }
  if (noise.rate.allFinite()) return absl::OkStatus();
  return absl::InternalError("the learned noise overflows: the targets are too extreme");
}

}  // namespace prequel
