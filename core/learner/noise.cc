#include "core/learner/noise.h"

#include <algorithm>
#include <limits>
#include <variant>

namespace prequel {

NoiseState InitialNoise(const Problem& problem) {
  NoiseState noise;
  const auto* gaussian = std::get_if<Gaussian>(&problem.likelihood);
  if (gaussian != nullptr && gaussian->learns_noise()) {
    noise.shape = Vector::Constant(gaussian->num_logits(), gaussian->noise_shape());
    noise.rate = Vector::Constant(gaussian->num_logits(), gaussian->noise_rate());
  }
  return noise;
}

void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out) {
  const auto* gaussian = std::get_if<Gaussian>(&problem.likelihood);
  if (gaussian == nullptr) return;
  if (gaussian->learns_noise()) {
    out.variance = noise.rate.cwiseQuotient(noise.shape);
    out.dof = 2 * noise.shape;
    return;
  }
  problem.target_encoder.Scale(targets, out.variance);
  out.variance = gaussian->noise_variance() * out.variance.array().square().inverse();
  out.dof.setConstant(out.variance.size(), std::numeric_limits<double>::infinity());
}

void FitNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
              NoiseLevel& out) {
  PredictiveNoise(problem, targets, noise, out);
  if (problem.scaled_by_noise()) out.variance.setOnes();
}

void ForgetRepeated(const Problem& problem, Index rows, NoiseState& noise) {
  const auto* gaussian = std::get_if<Gaussian>(&problem.likelihood);
  if (gaussian == nullptr || problem.dataset_size() == 0) return;
  const double room = std::max(0.0, 0.5 * (problem.dataset_size() - static_cast<double>(rows)));
  for (Index c = 0; c < noise.shape.size(); ++c) {
    const double learned = noise.shape[c] - gaussian->noise_shape();
    if (learned <= room) continue;
    const double kept = room / learned;
    noise.shape[c] = gaussian->noise_shape() + room;
    noise.rate[c] = gaussian->noise_rate() + kept * (noise.rate[c] - gaussian->noise_rate());
  }
}

}  // namespace prequel
