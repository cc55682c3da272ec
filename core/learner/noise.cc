#include "core/learner/noise.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <variant>

namespace prequel {
namespace {

// σ² of a track is at least this, so that no density is beyond all numbers.
constexpr double kLeastLevel = 1e-100;

// Forget leaves `factor` = e^{−ρn} of what was learned: the level stays.
void Forget(const NoiseModel& model, double factor, NoiseState& noise) {
  for (Index c = 0; c < noise.shape.size(); ++c) {
    const double shape = model.shape + factor * (noise.shape[c] - model.shape);
    noise.rate[c] *= shape / noise.shape[c];
    noise.shape[c] = shape;
  }
}

}  // namespace

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
  out.is_unit = problem.in_noise_units();
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

void TrackNoise(const Problem& problem, const TargetState& targets, const Belief& belief,
                Index track, double rows, NoiseLevel& out) {
  if (track == 0) return PredictiveNoise(problem, targets, belief.noise, out);
  const auto t = static_cast<std::size_t>(track);
  PredictiveNoise(problem, targets, belief.tracks[t - 1], out);
  const double factor = std::exp(-problem.hypotheses.noise_rates[t] * 0.5 * (rows + 1));
  const double first = 2 * problem.noise().shape;
  out.dof = first + factor * (out.dof.array() - first);
}

void FreshNoiseAt(const Problem& problem, const NoiseState& noise, NoiseState& out) {
  const NoiseModel model = problem.noise();
  out.shape.setConstant(noise.shape.size(), model.shape);
  out.rate = model.shape * noise.rate.cwiseQuotient(noise.shape);
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
  out.is_unit = false;
}

void ForgetDispersion(const Problem& problem, std::size_t k, double rows, NoiseState& noise) {
  const double rate = problem.hypotheses.dispersion_rate_of(static_cast<Index>(k));
  if (rate > 0) Forget(problem.noise(), std::exp(-rate * rows), noise);
}

absl::Status LearnNoise(const Problem& problem, const NoiseEvidence& evidence, NoiseState& noise) {
  return std::visit([&](const auto& likelihood) { return likelihood.LearnNoise(evidence, noise); },
                    problem.likelihood);
}

void LearnTracks(const Problem& problem, const NoiseEvidence& evidence,
                 std::vector<NoiseState>& tracks) {
  const NoiseModel model = problem.noise();
  const Matrix& after = evidence.after.mean;
  for (std::size_t t = 0; t < tracks.size(); ++t) {
    const double factor = std::exp(-problem.hypotheses.noise_rates[t + 1]);
    NoiseState& noise = tracks[t];
    for (Index i = 0; i < after.cols(); ++i) {
      Forget(model, factor, noise);
      const double weight = evidence.weight(i);
      if (!(weight > 0)) continue;
      for (Index c = 0; c < after.rows(); ++c) {
        const double residual = evidence.targets(c, i) - after(c, i);
        const double surprise = evidence.targets(c, i) - evidence.before(c, i);
        const double square = std::max(residual * surprise, residual * residual);
        noise.shape[c] += 0.5 * weight;
        noise.rate[c] += 0.5 * weight * evidence.sureness_of(i) * square / evidence.weighed_square;
        // Where targets do not vary at all, forgetting alone would take the level to 0.
        noise.rate[c] = std::max(noise.rate[c], kLeastLevel * noise.shape[c]);
      }
    }
  }
}

absl::Status LearnAllNoise(const Problem& problem, const Matrix& targets, const Matrix& before,
                           const LogitMoments& after, const Vector* weights, const Vector* sureness,
                           Belief& belief) {
  if (belief.noise.shape.size() == 0) return absl::OkStatus();
  assert(after.mean.cols() == targets.cols());
  assert(!problem.noise().learned() || before.cols() == targets.cols());
  assert(weights == nullptr || weights->size() == targets.cols());
  assert(sureness == nullptr || sureness->size() == targets.cols());
  // If all rows count whole, they are added as those of a model that weighs none, to the bit.
  const bool weighs = weights != nullptr && (weights->array() != 1).any();
  const NoiseEvidence evidence{.targets = targets,
                               .before = before,
                               .after = after,
                               .dataset_size = problem.dataset_size(),
                               .weights = weighs ? weights : nullptr,
                               .apart = problem.weighs_rows(),
                               .weighed_square = problem.weighed_square,
                               .sureness = sureness};
  if (!belief.tracks.empty()) LearnTracks(problem, evidence, belief.tracks);
  return LearnNoise(problem, evidence, belief.noise);
}

}  // namespace prequel
