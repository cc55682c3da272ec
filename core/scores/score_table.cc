#include "core/scores/score_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/scores/scores.h"

namespace prequel {
namespace {

double Mean(const double* sums, double weight) { return sums[0] / weight; }
double RootMean(const double* sums, double weight) { return std::sqrt(sums[0] / weight); }

void NllOfValue(const ValueOutcome& o, double* sums) {
  sums[0] -= o.weight * o.predicted.LogDensity(o.y);
}

// Square is share · error², rounded before it is added: so are the sums of every log that was
// folded before.
[[gnu::noinline]] double Square(double share, double error) { return share * error * error; }

void SquaredError(const ValueOutcome& o, double* sums) {
  sums[0] += Square(o.share, o.predicted.Residual(o.y));
}
void AbsoluteError(const ValueOutcome& o, double* sums) {
  sums[0] += o.share * std::abs(o.predicted.Residual(o.y));
}
void Crps(const ValueOutcome& o, double* sums) { o.predicted.AddCrps(o.y, o.share, sums[0]); }

// y lies in the central interval of level c when F(y) ≥ (1−c)/2 and F(y⁻) ≤ (1+c)/2.
template <int kPercent>
void Inside(const ValueOutcome& o, double* sums) {
  constexpr double kLevel = kPercent / 100.0;
  if (o.upper >= 0.5 * (1 - kLevel) && o.lower <= 0.5 * (1 + kLevel)) sums[0] += o.share;
}

void NllOfClass(const ClassOutcomes& o, double* sums) {
  for (Index i = 0; i < o.size(); ++i) {
    sums[0] -= o.weight(i) * o.log_probabilities(o.label(i), i);
  }
}
void Correct(const ClassOutcomes& o, double* sums) {
  for (Index i = 0; i < o.size(); ++i) sums[0] += o.top(i) == o.label(i) ? o.weight(i) : 0;
}

// Σ_c (p_c − [c = label])²
void Brier(const ClassOutcomes& o, double* sums) {
  for (Index i = 0; i < o.size(); ++i) {
    const Index label = o.label(i);
    double brier = 0;
    for (Index c = 0; c < o.probabilities.rows(); ++c) {
      const double error = o.probabilities(c, i) - (c == label ? 1 : 0);
      brier += error * error;
    }
    sums[0] += o.weight(i) * brier;
  }
}

// Expected calibration error of the top class: Σ_bins |Σ confidence − Σ correct| / weight.
void Calibration(const ClassOutcomes& o, double* sums) {
  for (Index i = 0; i < o.size(); ++i) {
    const Index top = o.top(i);
    const double confidence = o.probabilities(top, i);
    // The number is held within the bins before it is converted, and so that NaN is in bin 0.
    const double bin =
        std::min(std::max(0.0, confidence * kCalibrationBins), kCalibrationBins - 1.0);
    double* at = sums + 3 * static_cast<std::size_t>(bin);
    at[0] += o.weight(i);
    at[1] += o.weight(i) * confidence;
    at[2] += top == o.label(i) ? o.weight(i) : 0;
  }
}
double CalibrationError(const double* sums, double weight) {
  double error = 0;
  for (int bin = 0; bin < kCalibrationBins; ++bin) {
    error += std::abs(sums[3 * bin + 1] - sums[3 * bin + 2]);
  }
  return error / weight;
}

// y lies below the quantile of 5 %, or above that of 95 %.
void Below(const ValueOutcome& o, double* sums) {
  if (o.upper < 0.05) sums[0] += o.share;
}
void Above(const ValueOutcome& o, double* sums) {
  if (o.lower > 0.95) sums[0] += o.share;
}

constexpr std::array kValueScores = {
    Score{"nll", 1, NllOfValue, nullptr, Mean},                      // nats per example
    Score{"rmse", 1, SquaredError, nullptr, RootMean, Asks::kMean},  // of the predictive's mean
    Score{"mae", 1, AbsoluteError, nullptr, Mean, Asks::kMean},
    Score{"crps", 1, Crps, nullptr, Mean, Asks::kShape},
    Score{"coverage50", 1, Inside<50>, nullptr, Mean,
          Asks::kLevels},  // share inside the central 50 % interval
    Score{"coverage90", 1, Inside<90>, nullptr, Mean, Asks::kLevels},
    Score{"coverage95", 1, Inside<95>, nullptr, Mean, Asks::kLevels},
    Score{"below05", 1, Below, nullptr, Mean, Asks::kLevels},  // share that lies so
    Score{"above95", 1, Above, nullptr, Mean, Asks::kLevels},
};

constexpr std::array kClassScores = {
    Score{"nll", 1, nullptr, NllOfClass, Mean},
    Score{"accuracy", 1, nullptr, Correct, Mean},
    Score{"brier", 1, nullptr, Brier, Mean},
    Score{"ece", 3 * kCalibrationBins, nullptr, Calibration, CalibrationError},
};

template <std::size_t n>
constexpr bool Fits(const std::array<Score, n>& table) {
  std::size_t numbers = 0;
  for (const Score& score : table) numbers += 1 + score.num_sums;
  return numbers <= kMaxNumbers;
}

static_assert(Fits(kValueScores) && Fits(kClassScores));
static_assert(std::max(kValueScores.size(), kClassScores.size()) <= Scores::kMost);

}  // namespace

Index ClassOutcomes::top(Index i) const {
  Index top = 0;
  for (Index c = 1; c < probabilities.rows(); ++c) {
    if (probabilities(c, i) > probabilities(top, i)) top = c;
  }
  return top;
}

std::span<const Score> ScoresOf(TargetKind kind) {
  if (kind == TargetKind::kClasses) return kClassScores;
  return kValueScores;
}

const Score* FindScore(TargetKind kind, std::string_view name) {
  for (const Score& score : ScoresOf(kind)) {
    if (score.name == name) return &score;
  }
  return nullptr;
}

std::string_view ScoreName(std::string_view name) {
  for (const TargetKind kind : {TargetKind::kValues, TargetKind::kClasses}) {
    if (const Score* score = FindScore(kind, name)) return score->name;
  }
  return {};
}

}  // namespace prequel
