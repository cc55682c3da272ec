#include "core/likelihoods/gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

namespace prequel {
namespace {

// Leaves room for `rows` residuals among the N examples of dataset mode.
void ForgetRepeated(const NoiseModel& model, double dataset_size, double rows, NoiseState& noise) {
  if (dataset_size == 0) return;
  const double room = std::max(0.0, 0.5 * (dataset_size - rows));
  for (Index c = 0; c < noise.shape.size(); ++c) {
    const double learned = noise.shape[c] - model.shape;
    if (learned <= room) continue;
    const double kept = room / learned;
    noise.shape[c] = model.shape + room;
    noise.rate[c] = model.rate + kept * (noise.rate[c] - model.rate);
  }
}

// Rounded before anything is added: so are the predictions of every log that was folded before.
[[gnu::noinline]] double InUnits(double share, double variance) { return share * variance; }

}  // namespace

absl::Status Gaussian::Configure(Options& options, const TargetConfig& target) {
  options.Describe("values with normal noise");
  outputs_ = target.width;
  std::string word = "learned";
  options.Help("variance of the noise, or that it is learned")
      .PositiveOrWord("noise", &noise_.variance, &word, {"learned"});
  noise_.kind = word.empty() ? NoiseModel::Kind::kGiven : NoiseModel::Kind::kLearned;
  options.Help("shape of the noise's prior, where it is learned")
      .Positive("noise_shape", &noise_.shape);
  options.Help("rate of the noise's prior, where it is learned")
      .Positive("noise_rate", &noise_.rate);
  return options.Finish();
}

std::string_view Gaussian::TargetProblem(double y) const {
  return std::isfinite(y) ? "" : "a finite number";
}

void Gaussian::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
                      LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols();
  expansion.score = targets - moments.mean;
  expansion.root.setZero(outputs_, outputs_ * examples);
  double energy = 0;  // Σ (residual² + v)/R
  double log_noise = 0;
  for (Index c = 0; c < outputs_; ++c) {
    const double precision = 1 / noise.variance[c];
    double square = expansion.score.row(c).squaredNorm();
    for (Index i = 0; i < examples; ++i) {
      if (!moments.exact()) square += moments.covariance(c, i * outputs_ + c);
      expansion.root(c, i * outputs_ + c) = std::sqrt(precision);
    }
    energy += precision * square;
    log_noise += std::log(2 * std::numbers::pi * noise.variance[c]);
    expansion.score.row(c) *= precision;
  }
  expansion.log_density = -0.5 * (energy + static_cast<double>(examples) * log_noise);
}

absl::Status Gaussian::LearnNoise(const NoiseEvidence& evidence, NoiseState& noise) const {
  if (!noise_.learned()) return absl::OkStatus();
  const Matrix& after = evidence.after.mean;
  const auto rows = static_cast<double>(after.cols());
  ForgetRepeated(noise_, evidence.dataset_size, rows, noise);
  for (Index c = 0; c < after.rows(); ++c) {
    const auto residual = evidence.targets.row(c) - after.row(c);
    const double energy = residual.dot(evidence.targets.row(c) - evidence.before.row(c));
    noise.shape[c] += 0.5 * rows;
    noise.rate[c] += 0.5 * std::max(energy, residual.squaredNorm());
  }
  if (noise.rate.allFinite()) return absl::OkStatus();
  return absl::InternalError("the learned noise overflows: the targets are too extreme");
}

StudentT Gaussian::Marginal(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                            Index example) const {
  double epistemic = moments.exact() ? 0 : moments.covariance(output, example * outputs_ + output);
  if (noise.is_unit) epistemic = InUnits(epistemic, noise.variance[output]);
  const double total = epistemic + noise.variance[output];
  return {moments.mean(output, example), std::sqrt(total), noise.dof[output], epistemic / total};
}

}  // namespace prequel
