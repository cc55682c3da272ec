#include "core/likelihoods/negative_binomial.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/distributions/sigmoid_normal.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr double kLeast = 1 / NegativeBinomialKernel::kMostShape;
constexpr double kMost = 1 / NegativeBinomialKernel::kLeastShape;
constexpr double kLongestStep = 1;  // of log α
constexpr double kFarthest = 300;   // of a log rate

// InformationOf is Σ_i ω_i I_i of one output.
double InformationOf(const NoiseEvidence& given, Index output, double dispersion) {
  const Matrix& mean = given.after.mean;
  double sum = 0;
  for (Index i = 0; i < mean.cols(); ++i) {
    const double excess = dispersion * std::exp(std::min(mean(output, i), kFarthest));
    sum += given.weight(i) * 0.5 * excess / (1 + excess) * (excess / (1 + excess + dispersion));
  }
  return sum;
}

// ScoreOf is Σ_i ω_i E_q ∂/∂log α log p(y_i | f, α) of one output.
double ScoreOf(const NoiseEvidence& given, Index output, double dispersion) {
  const double shape = 1 / dispersion, log_shape = std::log(shape), psi = Digamma(shape);
  const LogitMoments& after = given.after;
  const Index outputs = after.mean.rows(), count = after.mean.cols();
  double score = 0;
  SigmoidExpectations e;
  for (Index start = 0; start < count; start += kLanes) {
    const Index lanes = std::min(kLanes, count - start);
    Lane z = Lane::Zero(), deviation = Lane::Zero();
    for (Index j = 0; j < lanes; ++j) {
      const Index i = start + j;
      z[j] = after.mean(output, i) - log_shape;
      const double variance = after.exact() ? 0 : after.covariance(output, i * outputs + output);
      deviation[j] = std::sqrt(std::max(variance, 0.0));
    }
    ExpectSigmoid(z, deviation, {.log_sigmoid = true}, e);
    for (Index j = 0; j < lanes; ++j) {
      const double y = given.targets(output, start + j), log_zero = e.log_sigmoid[j] - z[j];
      score += given.weight(start + j) *
               (shape * (psi - Digamma(y + shape) - log_zero) + (y + shape) * e.zero[j] - shape);
    }
  }
  return score;
}

}  // namespace

absl::Status NegativeBinomial::Configure(Options& options, const TargetConfig& target) {
  options.Describe("counts of variance λ + α λ²");
  outputs_ = target.width;
  std::string word = "learned";
  options.Help("α of the variance λ + α λ², or that it is learned")
      .PositiveOrWord("dispersion", &noise_.variance, &word, {"learned"}, kMost);
  if (word.empty()) {
    noise_.kind = NoiseModel::Kind::kGiven;
    if (noise_.variance < kLeast) {
      options.Fail("dispersion", "must be in [0.001, 10], or \"learned\"");
    }
  }
  return options.Finish();
}

absl::Status NegativeBinomial::LearnNoise(const NoiseEvidence& evidence, NoiseState& noise) const {
  if (!noise_.learned_dispersion()) return absl::OkStatus();
  const auto rows = static_cast<double>(evidence.after.mean.cols());
  for (Index c = 0; c < outputs_; ++c) {
    const double dispersion = noise.rate[c] / noise.shape[c];
    const double added = InformationOf(evidence, c, dispersion);
    double learned = noise.shape[c] - noise_.shape;
    if (evidence.dataset_size > 0) {
      learned = std::min(learned, std::max(0.0, evidence.dataset_size / rows - 1) * added);
    }
    learned += added;
    const double step = ScoreOf(evidence, c, dispersion) / (noise_.shape + learned);
    const double factor = std::exp(std::clamp(step, -kLongestStep, kLongestStep));
    const double next = std::clamp(dispersion * factor, kLeast, kMost);
    // What was learned counts by the information that such counts would have at the new α.
    if (added > 0) learned *= InformationOf(evidence, c, next) / added;
    noise.shape[c] = noise_.shape + learned;
    noise.rate[c] = noise.shape[c] * next;
  }
  if (noise.rate.allFinite()) return absl::OkStatus();
  return absl::InternalError("the learned dispersion is not finite: the inputs are too extreme");
}

double NegativeBinomial::Dispersion(const NoiseLevel& noise, Index output) const {
  if (noise.variance.size() > 0) return std::clamp(noise.variance[output], kLeast, kMost);
  return noise_.has_state() ? noise_.rate / noise_.shape : noise_.variance;
}

// Expand goes through the logits in the order of example and output, eight at a time.
void NegativeBinomial::Expand(const LogitMoments& moments, ConstMatrixRef targets,
                              const NoiseLevel& noise, LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols(), count = outputs_ * examples;
  expansion.score.resize(outputs_, examples);
  expansion.root.setZero(outputs_, count);
  expansion.log_density = 0;
  SigmoidExpectations e;
  for (Index start = 0; start < count; start += kLanes) {
    const Index lanes = std::min(kLanes, count - start);
    Lane z = Lane::Zero(), deviation = Lane::Zero(), shape = Lane::Ones();
    for (Index j = 0; j < lanes; ++j) {
      const Index c = (start + j) % outputs_, i = (start + j) / outputs_;
      shape[j] = 1 / Dispersion(noise, c);
      z[j] = moments.mean(c, i) - std::log(shape[j]);
      deviation[j] = std::sqrt(std::max(VarianceOf(moments, c, i), 0.0));
    }
    ExpectSigmoid(z, deviation, {.log_sigmoid = true}, e);
    for (Index j = 0; j < lanes; ++j) {
      const Index c = (start + j) % outputs_, i = (start + j) / outputs_;
      const double y = targets(c, i), constant = NegativeBinomialKernel(shape[j]).LogConstant(y);
      expansion.log_density +=
          expansion.weight(i) *
          (y * e.log_sigmoid[j] + shape[j] * (e.log_sigmoid[j] - z[j]) + constant);
      expansion.score(c, i) = y * e.zero[j] - shape[j] * e.one[j];
      expansion.root(c, start + j) = std::sqrt((y + shape[j]) * e.curvature[j]);
    }
  }
}

NegativeBinomialMixture NegativeBinomial::Marginal(const LogitMoments& moments,
                                                   const NoiseLevel& noise, Index output,
                                                   Index example) const {
  const auto [mean, variance] = Bounded(moments, noise, output, example);
  return {mean, variance, NegativeBinomialKernel(1 / Dispersion(noise, output))};
}

}  // namespace prequel
