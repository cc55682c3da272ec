#include "core/noise.h"

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

}  // namespace prequel
