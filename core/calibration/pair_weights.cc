#include "core/calibration/pair_weights.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

constexpr Index kShares = 4, kExponents = 3;  // J = 12: share by share, exponent by exponent
constexpr double kFirstRows = 64;             // that the first weights are worth
constexpr double kToAverage = 0.9;            // of what is shared; the rest goes to π
constexpr double kLeast = 1e-12;              // of a weight: so much is left of either
constexpr Index kProducts = 16;               // factors between two logarithms, none below kLeast

using Hypotheses = Eigen::Array<double, kShares * kExponents, 1>;

// Kept is e^{−α n}, the part of a weight that stays.
Hypotheses Kept(double rows) {
  Hypotheses kept;
  double share = 1e-4;
  for (Index s = 0; s < kShares; ++s, share *= 10) {
    kept.segment<kExponents>(s * kExponents).setConstant(std::exp(-share * rows));
  }
  return kept;
}

}  // namespace

PairWeightsState PairWeights::Fresh() const {
  constexpr Index all = Hypotheses::SizeAtCompileTime;
  return {.weights = Vector::Constant(all, first_),
          .average = Vector::Constant(all, first_),
          .log_trust = Vector::Constant(all, -std::log(static_cast<double>(all))),
          .rows = kFirstRows};
}

bool PairWeights::IsSound(const PairWeightsState& state) {
  constexpr Index all = Hypotheses::SizeAtCompileTime;
  for (const Vector* weights : {&state.weights, &state.average}) {
    if (weights->size() != all || !weights->allFinite()) return false;
    if (weights->minCoeff() <= 0 || weights->maxCoeff() >= 1) return false;
  }
  if (state.log_trust.size() != all || !(state.rows >= kFirstRows) || !std::isfinite(state.rows)) {
    return false;
  }
  return std::abs(state.log_trust.array().exp().sum() - 1) < 1e-6;
}

void PairWeights::Absorb(const Matrix& log_densities, PairWeightsState& state) const {
  Eigen::Map<Hypotheses> weights(state.weights.data()), average(state.average.data());
  Eigen::Map<Hypotheses> log_trust(state.log_trust.data());
  const Index rows = log_densities.cols();
  const auto n = static_cast<double>(rows);
  Hypotheses product = Hypotheses::Ones();
  double evidence = 0;  // of the second beside the first
  for (Index i = 0; i < rows; ++i) {
    const double gain = log_densities(1, i) - log_densities(0, i);
    evidence += gain;
    // Both densities are taken beside the greater of the two.
    const double lesser = std::exp(-std::abs(gain));
    const double first = gain > 0 ? lesser : 1, second = gain > 0 ? 1 : lesser;
    product *= first + weights * (second - first);
    if ((i + 1) % kProducts != 0 && i + 1 < rows) continue;
    log_trust += product.log();
    product.setOnes();
  }
  const double top = log_trust.maxCoeff();
  log_trust -= top + std::log((log_trust - top).exp().sum());

  // v = w e^g / (1 − w + w e^g) with g the evidence over n^e.
  const Eigen::Array3d gains(evidence, evidence / std::sqrt(n), evidence / n);
  const Eigen::Array3d lesser = (-gains.abs()).exp();
  const Eigen::Array3d ones = Eigen::Array3d::Ones();
  const Hypotheses second =
      weights * (gains > 0).select(ones, lesser).eval().replicate<kShares, 1>();
  const Hypotheses first =
      (1 - weights) * (gains > 0).select(lesser, ones).eval().replicate<kShares, 1>();
  const Hypotheses v = (second / (first + second)).max(kLeast).min(1 - kLeast);
  const double all_rows = state.rows + n;
  average = (state.rows * average + n * v) / all_rows;
  const Hypotheses kept = Kept(n);
  const Hypotheses shared = kToAverage * average + (1 - kToAverage) * first_;
  weights = (kept * v + (1 - kept) * shared).max(kLeast).min(1 - kLeast);
  average = average.max(kLeast).min(1 - kLeast);
  state.rows = all_rows;
}

double PairWeights::Weight(const PairWeightsState& state) {
  return std::clamp((state.log_trust.array().exp() * state.weights.array()).sum(), kLeast,
                    1 - kLeast);
}

}  // namespace prequel
