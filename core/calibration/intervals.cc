#include "core/calibration/intervals.h"

#include <algorithm>
#include <cmath>

namespace prequel {
namespace {

constexpr std::size_t kKnots = ServedLevels::kKnots;
constexpr std::array<double, kKnots> kLevels = {0.2, 0.5, 0.8, 0.9, 0.95, 0.99};  // c
constexpr double kRate = 0.005;
constexpr double kLeastSpread = 0.05;  // of c(1 − c), so that far levels do not jump
constexpr Index kTogether = 64;        // rows that are judged by one θ: more would swing
// θ is held within these, beyond which an interval is a point or all that a double can tell from
// all: 1e-11 are left outside. So it comes back when the world does.
constexpr double kLeast = -10, kMost = 25;

double LogitOf(std::size_t level) { return std::log(kLevels[level] / (1 - kLevels[level])); }

const std::array<double, kKnots>& Logits() {
  static const std::array<double, kKnots> logits = [] {
    std::array<double, kKnots> all{};
    for (std::size_t j = 0; j < kKnots; ++j) all[j] = LogitOf(j);
    return all;
  }();
  return logits;
}

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

}  // namespace

IntervalsState FreshIntervals(Index outputs) {
  return {.shifts = Matrix::Zero(static_cast<Index>(kKnots), outputs)};
}

bool IsSound(const IntervalsState& state, Index outputs) {
  return state.shifts.rows() == static_cast<Index>(kKnots) && state.shifts.cols() == outputs &&
         state.shifts.allFinite() && state.shifts.cwiseAbs().maxCoeff() <= 2 * kMost;
}

void LearnIntervals(const Position* positions, Index rows, IntervalsState& state) {
  const Index outputs = state.shifts.cols();
  for (Index first = 0; first < rows; first += kTogether) {
    const Index end = std::min(rows, first + kTogether);
    for (Index o = 0; o < outputs; ++o) {
      for (std::size_t j = 0; j < kKnots; ++j) {
        double& shift = state.shifts(static_cast<Index>(j), o);
        const double outside = Sigmoid(-(Logits()[j] + shift));  // 1 − σ(θ_c)
        double miss = 0;                                         // Σ (c − 1[…])
        for (Index i = first; i < end; ++i) {
          const Position& y = positions[o + i * outputs];
          const double left = std::min(2 * y.upper, 2 * (1 - y.lower));  // 1 − s_i
          miss += kLevels[j] - (left >= outside ? 1 : 0);
        }
        const double spread = std::max(kLevels[j] * (1 - kLevels[j]), kLeastSpread);
        shift =
            std::clamp(shift + kRate * miss / spread, kLeast - Logits()[j], kMost - Logits()[j]);
      }
    }
  }
}

ServedLevels::ServedLevels(const IntervalsState& state, Index output) : logits_(Logits()) {
  double greatest = -HUGE_VAL;
  for (std::size_t j = 0; j < kKnots; ++j) {
    const double shift = state.shifts(static_cast<Index>(j), output);
    moved_ = moved_ || shift != 0;
    greatest = std::max(greatest, logits_[j] + shift);
    owns_[j] = greatest;
  }
}

// By the tail t = 1 − c = 2 min(p, 1 − p), which does not cancel.
double ServedLevels::Map(double p, const Knots& from, const Knots& to) const {
  const double tail = 2 * std::min(p, 1 - p);
  if (!moved_ || !(tail > 0 && tail < 1)) return p;
  const double x = std::log1p(-tail) - std::log(tail);  // logit c
  const auto j =
      static_cast<std::size_t>(std::lower_bound(from.begin(), from.end(), x) - from.begin());
  double y = 0;
  if (j == 0) {
    y = std::min(x + (to.front() - from.front()), to.front());
  } else if (j == kKnots) {
    y = std::max(x + (to.back() - from.back()), to.back());
  } else {
    const double along = (x - from[j - 1]) / (from[j] - from[j - 1]);
    y = std::min(to[j - 1] + along * (to[j] - to[j - 1]), to[j]);
  }
  const double mapped = 0.5 * Sigmoid(-y);
  // 1 itself has no quantile.
  return p < 0.5 ? std::max(mapped, 0x1p-1000) : std::min(1 - mapped, 1 - 0x1p-53);
}

}  // namespace prequel
