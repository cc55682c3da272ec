#include "core/calibration/intervals.h"

#include <algorithm>
#include <cmath>

#include "core/calibration/offset_logistic.h"

namespace prequel {
namespace {

constexpr std::size_t kKnots = ServedLevels::kKnots, kMedian = kKnots / 2;
constexpr std::array<double, kKnots> kProbabilities = {0.005, 0.025, 0.05, 0.1,  0.25,  0.4,  0.5,
                                                       0.6,   0.75,  0.9,  0.95, 0.975, 0.995};
constexpr double kRate = 0.005;
constexpr double kLeastSpread = 0.025;  // of p(1 − p), so that far quantiles do not jump
// The most rows that are judged by one θ, as those of a minibatch are that is answered at once.
// Such rows are often wrong together, so beyond kAlone rows θ moves by their root.
constexpr Index kTogether = 64;
constexpr double kAlone = 8;
// How far θ goes out from ½, where all but 1e-11 lie on one side, and how far to the other side of
// it: so it comes back when the world does.
constexpr double kMost = 25, kMostAcross = 10;

double LogitOf(double p) { return std::log(p) - std::log1p(-p); }

const std::array<double, kKnots>& Logits() {
  static const std::array<double, kKnots> logits = [] {
    std::array<double, kKnots> all{};
    for (std::size_t j = 0; j < kKnots; ++j) all[j] = LogitOf(kProbabilities[j]);
    return all;
  }();
  return logits;
}

// Below is the part of y that lies below the own quantile of the probability `own`, which is 1 −
// `rest`: what knot j counts it by.
double Below(const Position& y, std::size_t j, double own, double rest) {
  const bool all = y.upper<own, some = 1 - y.lower> rest;
  if (j == kMedian) return 0.5 * (all ? 1 : 0) + 0.5 * (some ? 1 : 0);
  return (j < kMedian ? all : some) ? 1 : 0;
}

}  // namespace

IntervalsState FreshIntervals(Index outputs) {
  return {.shifts = Matrix::Zero(static_cast<Index>(kKnots), outputs)};
}

bool IsSound(const IntervalsState& state, Index outputs) {
  return state.shifts.rows() == static_cast<Index>(kKnots) && state.shifts.cols() == outputs &&
         state.shifts.allFinite() && state.shifts.cwiseAbs().maxCoeff() <= 2 * kMost;
}

void LearnIntervals(const Position* positions, Index rows, const Vector& weights,
                    IntervalsState& state) {
  const Index outputs = state.shifts.cols();
  for (Index first = 0; first < rows; first += kTogether) {
    const Index end = std::min(rows, first + kTogether);
    const double rate = kRate * std::min(1.0, std::sqrt(kAlone / static_cast<double>(end - first)));
    for (Index o = 0; o < outputs; ++o) {
      for (std::size_t j = 0; j < kKnots; ++j) {
        double& shift = state.shifts(static_cast<Index>(j), o);
        const double theta = Logits()[j] + shift;
        const double own = Sigmoid(theta), rest = Sigmoid(-theta);
        const double p = kProbabilities[j];
        double miss = 0;  // Σ (p − 1[…])
        for (Index i = first; i < end; ++i) {
          const double weight = weights.size() > 0 ? weights[i] : 1;
          miss += weight * (p - Below(positions[o + i * outputs], j, own, rest));
        }
        const double moved = theta + rate * miss / std::max(p * (1 - p), kLeastSpread);
        const double least = j < kMedian ? -kMost : -kMostAcross;
        const double most = j > kMedian ? kMost : kMostAcross;
        shift = std::clamp(moved, least, most) - Logits()[j];
      }
    }
  }
}

ServedLevels::ServedLevels(const IntervalsState& state, Index output) : logits_(Logits()) {
  for (std::size_t j = 0; j < kKnots; ++j) {
    const double shift = state.shifts(static_cast<Index>(j), output);
    moved_ = moved_ || shift != 0;
    owns_[j] = logits_[j] + shift;
  }
  std::sort(owns_.begin(), owns_.end());
}

double ServedLevels::Map(double p, const Knots& from, const Knots& to) const {
  if (!moved_ || !(p > 0 && p < 1)) return p;
  const double x = LogitOf(p);
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
  // 0 and 1 themselves have no quantile.
  return std::clamp(Sigmoid(y), 0x1p-1000, 1 - 0x1p-53);
}

}  // namespace prequel
