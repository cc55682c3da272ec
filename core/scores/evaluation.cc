#include "core/scores/evaluation.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

// Expected calibration error: Σ_bins |Σ confidence − Σ correct| / weight.
double CalibrationError(const Tally& tally) {
  double error = 0;
  for (std::size_t i = 0; i < kCalibrationBins; ++i) {
    error += std::abs(tally.bin_confidence[i] - tally.bin_correct[i]);
  }
  return error / tally.weight;
}

// Calls f(field, field of other) for every sum.
template <class F>
void ForEachSum(Tally& a, const Tally& b, F f) {
  f(a.weight, b.weight);
  f(a.nll, b.nll);
  f(a.squared_error, b.squared_error);
  f(a.absolute_error, b.absolute_error);
  f(a.crps, b.crps);
  f(a.inside50, b.inside50);
  f(a.inside90, b.inside90);
  f(a.inside95, b.inside95);
  f(a.correct, b.correct);
  f(a.brier, b.brier);
  for (std::size_t i = 0; i < kCalibrationBins; ++i) {
    f(a.bin_weight[i], b.bin_weight[i]);
    f(a.bin_confidence[i], b.bin_confidence[i]);
    f(a.bin_correct[i], b.bin_correct[i]);
  }
}

}  // namespace

void Tally::Scale(double factor) {
  ForEachSum(*this, *this, [factor](double& sum, double) { sum *= factor; });
}

void Tally::Add(const Tally& other) {
  ForEachSum(*this, other, [](double& sum, double more) { sum += more; });
}

Scores Tally::Average(bool classes) const {
  Scores scores;
  if (!(weight > 0)) return scores;
  scores.examples = weight;
  scores.nll = nll / weight;
  if (classes) {
    scores.accuracy = correct / weight;
    scores.brier = brier / weight;
    scores.ece = CalibrationError(*this);
  } else {
    scores.rmse = std::sqrt(squared_error / weight);
    scores.mae = absolute_error / weight;
    scores.crps = crps / weight;
    scores.coverage50 = inside50 / weight;
    scores.coverage90 = inside90 / weight;
    scores.coverage95 = inside95 / weight;
  }
  return scores;
}

// With d = 1 − 1/length and n new examples, all taken as equally old on average:
//   window ← dⁿ window + (Σ_{j<n} dʲ / n) minibatch,   Σ_{j<n} dʲ = length (1 − dⁿ)
// so the weight is the same however the examples are split, and never above length.
void Evaluation::Absorb(const Tally& minibatch, double window_length) {
  const double n = minibatch.weight;
  if (!(n > 0)) return;
  cumulative.Add(minibatch);
  const double log_decay = window_length > 1 ? n * std::log1p(-1 / window_length) : -HUGE_VAL;
  Tally recent = minibatch;
  recent.Scale(-std::max(window_length, 1.0) * std::expm1(log_decay) / n);
  window.Scale(std::exp(log_decay));
  window.Add(recent);
}

void AddClassified(ConstVectorRef probabilities, Index label, double log_probability,
                   Tally& tally) {
  Index top = 0;
  double brier = 0;  // Σ_c (p_c − [c = label])²
  for (Index c = 0; c < probabilities.size(); ++c) {
    const double error = probabilities[c] - (c == label ? 1 : 0);
    brier += error * error;
    if (probabilities[c] > probabilities[top]) top = c;
  }
  const double confidence = probabilities[top];
  const double correct = top == label ? 1 : 0;
  // Held before it is converted, and so that one which is no number is in bin 0.
  const double bin = std::min(std::max(0.0, confidence * kCalibrationBins), kCalibrationBins - 1.0);
  const auto at = static_cast<std::size_t>(bin);
  tally.weight += 1;
  tally.nll -= log_probability;
  tally.correct += correct;
  tally.brier += brier;
  tally.bin_weight[at] += 1;
  tally.bin_confidence[at] += confidence;
  tally.bin_correct[at] += correct;
}

}  // namespace prequel
