// Prequential evaluation: proper scores and calibration of predictions made before learning.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "core/linalg/types.h"

namespace prequel {

// Averages over examples. What does not apply to the likelihood is absent.
struct Scores {
  double examples = 0;  // the (weighted) count behind the averages
  double nll = 0;       // nats per example
  std::optional<double> rmse, mae, crps;
  std::optional<double> coverage50, coverage90, coverage95;
  std::optional<double> accuracy, brier, ece;
};

inline constexpr int kCalibrationBins = 15;  // of the top class's confidence, equal widths

// Weighted sums over examples; additive, so that a minibatch is scored once and added twice.
// Regression with several outputs averages the per-output quantities over outputs, except nll,
// which is their sum (the log score of the marginals).
struct Tally {
  double weight = 0;
  double nll = 0;
  double squared_error = 0, absolute_error = 0, crps = 0;
  double inside50 = 0, inside90 = 0, inside95 = 0;
  double correct = 0, brier = 0;
  std::array<double, kCalibrationBins> bin_weight{}, bin_confidence{}, bin_correct{};

  void Scale(double factor);
  void Add(const Tally& other);
  // `classes`: accuracy, brier and ece; otherwise rmse, mae, crps and coverage.
  Scores Average(bool classes) const;
};

// Part of the state. `window` is exponentially weighted: each new example decays the older ones by
// 1 − 1/length.
struct Evaluation {
  Tally cumulative, window;
  std::int64_t skipped_rows = 0;   // target missing
  std::int64_t unscored_rows = 0;  // learned before any predictive existed

  void Absorb(const Tally& minibatch, double window_length);
};

// Adds one classified example: `probabilities` sums to 1 and `label` is its class; log_probability
// is log probabilities[label], computed without cancellation.
void AddClassified(ConstVectorRef probabilities, Index label, double log_probability, Tally& tally);

}  // namespace prequel
