#include "core/learner/noise.h"

#include <cmath>
#include <limits>
#include <variant>

namespace prequel {

NoiseState InitialNoise(const Problem& problem) {
  NoiseState noise;
  const NoiseModel model = problem.noise();
  if (!model.has_state()) return noise;
  noise.shape = Vector::Constant(problem.num_logits(), model.shape);
  noise.rate = Vector::Constant(problem.num_logits(), model.rate);
  return noise;
}

void PredictiveNoise(const Problem& problem, const TargetState& targets, const NoiseState& noise,
                     NoiseLevel& out) {
  const NoiseModel model = problem.noise();
  out.largest = targets.largest;
  switch (model.kind) {
    case NoiseModel::Kind::kNone:
      out.variance.resize(0);
      out.dof.resize(0);
      return;
    case NoiseModel::Kind::kLearned:
    case NoiseModel::Kind::kLearnedDispersion:
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

absl::Status LearnNoise(const Problem& problem, const NoiseEvidence& evidence, NoiseState& noise) {
  return std::visit([&](const auto& likelihood) { return likelihood.LearnNoise(evidence, noise); },
                    problem.likelihood);
}

}  // namespace prequel
