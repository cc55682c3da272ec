#include "core/likelihoods/gaussian.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "absl/strings/str_cat.h"

namespace prequel {
namespace {

constexpr double kLeastShape = 0.5;  // of a Student-t with one degree of freedom
// A prior that counts as more rows, or is of less noise, leaves no digits for what is learned.
constexpr double kMostShape = 1e10;
constexpr double kLeastRate = 1e-12, kMostRate = 1e300;

// ForgetRepeated leaves room for `rows` residuals among the N examples of dataset mode.
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

// LearnWeighed learns one output of rows of which each counts ω, and which are as sure as κ.
void LearnWeighed(const NoiseEvidence& evidence, Index c, NoiseState& noise) {
  double energy = 0, least = 0;
  for (Index i = 0; i < evidence.targets.cols(); ++i) {
    const double weight = evidence.weight(i);
    if (!(weight > 0)) continue;
    const double residual = evidence.targets(c, i) - evidence.after.mean(c, i);
    const double surprise = evidence.targets(c, i) - evidence.before(c, i);
    const double square = residual * residual;
    const double of_both =
        evidence.apart ? std::max(residual * surprise, square) : residual * surprise;
    noise.shape[c] += 0.5 * weight;
    energy += weight * evidence.sureness_of(i) * of_both;
    least += weight * evidence.sureness_of(i) * square;
  }
  noise.rate[c] += 0.5 * std::max(energy, least) / evidence.weighed_square;
}

// InUnits is rounded before anything is added, as in the predictions of every log that was folded
// before.
[[gnu::noinline]] double InUnits(double share, double variance) { return share * variance; }

}  // namespace

absl::Status Gaussian::Configure(Options& options, const TargetConfig& target) {
  options.Describe("values with normal noise");
  outputs_ = target.width;
  std::string word = "learned";
  options.Help("variance of the noise, or that it is learned")
      .PositiveOrWord("noise", &noise_.variance, &word, {"learned"});
  noise_.kind = word.empty() ? NoiseModel::Kind::kGiven : NoiseModel::Kind::kLearned;
  options.Help("shape of the noise's prior, where it is learned; above 0.5")
      .Positive("noise_shape", &noise_.shape, kMostShape);
  if (noise_.learned() && noise_.shape <= kLeastShape) {
    options.Fail("noise_shape",
                 absl::StrCat("must be greater than ", kLeastShape, ", and is ", noise_.shape,
                              ": with twice that many degrees of freedom the first predictions "
                              "have no mean, and their CRPS is infinite; 1.5 is usual"));
  }
  options.Help("rate of the noise's prior, where it is learned")
      .Real("noise_rate", &noise_.rate, kLeastRate, kMostRate);
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
  // If all rows count whole, they are added as ever, to the bit.
  const bool weighs = (expansion.weights.array() != 1).any();
  if (weighs) SumWeighed(moments, noise, log_noise, expansion);
}

// SumWeighed adds Σ_i w²_i E log p_i of an expansion that has R⁻¹ r_i for the score.
void Gaussian::SumWeighed(const LogitMoments& moments, const NoiseLevel& noise, double log_noise,
                          LocalExpansion& expansion) const {
  expansion.log_density = 0;
  for (Index i = 0; i < moments.mean.cols(); ++i) {
    const double weight = expansion.weights[i];
    double energy = log_noise;
    for (Index c = 0; c < outputs_; ++c) {
      const double score = expansion.score(c, i), variance = noise.variance[c];
      energy += score * score * variance;
      if (!moments.exact()) energy += moments.covariance(c, i * outputs_ + c) / variance;
    }
    if (weight > 0) expansion.log_density -= 0.5 * weight * energy;
  }
}

absl::Status Gaussian::LearnNoise(const NoiseEvidence& evidence, NoiseState& noise) const {
  if (!noise_.learned()) return absl::OkStatus();
  const Matrix& after = evidence.after.mean;
  const auto rows = static_cast<double>(after.cols());
  ForgetRepeated(noise_, evidence.dataset_size, rows, noise);
  for (Index c = 0; c < after.rows(); ++c) {
    if (evidence.weights != nullptr || evidence.sureness != nullptr) {
      LearnWeighed(evidence, c, noise);
      continue;
    }
    const auto residual = evidence.targets.row(c) - after.row(c);
    const double energy = residual.dot(evidence.targets.row(c) - evidence.before.row(c));
    noise.shape[c] += 0.5 * rows;
    noise.rate[c] += 0.5 * std::max(energy, residual.squaredNorm()) / evidence.weighed_square;
  }
  if (noise.rate.allFinite()) return absl::OkStatus();
  return absl::InternalError("the learned noise overflows: the targets are too extreme");
}

StudentT Gaussian::Marginal(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                            Index example) const {
  double epistemic = moments.exact() ? 0 : moments.covariance(output, example * outputs_ + output);
  if (noise.is_unit) epistemic = InUnits(epistemic, noise.variance[output]);
  if (moments.doubted) epistemic += moments.doubt(output, example);
  const double total = epistemic + noise.variance[output];
  return {moments.mean(output, example), std::sqrt(total), noise.dof[output], epistemic / total};
}

}  // namespace prequel
