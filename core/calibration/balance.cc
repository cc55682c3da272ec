#include "core/calibration/balance.h"

#include <cmath>

namespace prequel {
namespace {

constexpr double kWindow = 10000;         // rows after which a sum counts 1/e
constexpr double kFactorVariance = 0.04;  // of c
constexpr double kMostRows = 10001;       // Σ_t e^{−t/kWindow}, rounded up

bool AreSums(const Vector& sums, Index outputs) {
  return sums.size() == outputs && sums.allFinite() && (sums.array() >= 0).all();
}

}  // namespace

BalanceState FreshBalance(Index outputs) {
  return {Vector::Zero(outputs), Vector::Zero(outputs), Vector::Zero(outputs)};
}

bool IsSound(const BalanceState& state, Index outputs) {
  if (!AreSums(state.counted, outputs) || !AreSums(state.predicted, outputs) ||
      !AreSums(state.square, outputs)) {
    return false;
  }
  // (Σ_b e_b)² ≤ b Σ_b e_b², except for rounding.
  const Vector rounding = 1e-9 * (state.counted + state.predicted);
  const Vector most = (kMostRows * state.square).cwiseSqrt() + rounding;
  return ((state.counted - state.predicted).cwiseAbs().array() <= most.array()).all();
}

// MeanFactor is divided through by M, so that no square is out of range.
double MeanFactor(const BalanceState& state, Index output) {
  const double predicted = state.predicted[output], square = state.square[output];
  if (!(predicted > 0)) return 1;
  const double off = state.counted[output] - predicted;
  return 1 + off / (predicted + square / predicted / kFactorVariance);
}

void LearnBalance(const Matrix& counts, const Matrix& errors, const Vector& weights,
                  BalanceState& state) {
  const bool weighed = weights.size() > 0;
  const double kept = std::exp(-static_cast<double>(counts.cols()) / kWindow);
  for (Index o = 0; o < counts.rows(); ++o) {
    const double count = weighed ? counts.row(o).dot(weights) : counts.row(o).sum();
    const double error = weighed ? errors.row(o).dot(weights) : errors.row(o).sum();
    // `predicted` is kept at least 0, however the difference was rounded.
    const double predicted = kept * state.predicted[o] + std::fmax(0, count - error);
    const double square = kept * state.square[o] + error * error;
    if (!std::isfinite(predicted) || !std::isfinite(square)) continue;
    state.counted[o] = kept * state.counted[o] + count;
    state.predicted[o] = predicted;
    state.square[o] = square;
  }
}

}  // namespace prequel
