#include "core/change/change.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace prequel {
namespace {

// Both are in rows. Weights that change make errors unusual as well, though for fewer rows than
// noise is averaged over.
constexpr double kRemembered = 100, kNoiseRemembered = 200;
constexpr Thresholds kThresholds{.raise = 0.8, .clear = 0.4};
constexpr Thresholds kNever{.raise = 1, .clear = 2};
constexpr double kLargestError = 2;  // z of r = 7.3

bool Moves(const DriftRates& rates) {
  return std::max(rates.rate, rates.intercept_rate) > BelievedChange::kStill;
}

double WeightOf(const Hypotheses& of, const Vector& weights, Index belief) {
  return weights.segment(of.IndexOf(belief, 0), of.tracks_of(belief)).sum();
}

}  // namespace

BelievedChange ChangeBelievedBy(const Hypotheses& of, const Vector& weights,
                                const RestartState& restarts, double window) {
  BelievedChange change;
  double still_noise = 0;
  for (Index k = 0; k < of.drifts; ++k) {
    const double weight = WeightOf(of, weights, k);
    if (Moves(of.RatesOf(k))) change.moving += weight;
    still_noise += weights[of.IndexOf(k, 0)];
    change.late_noise += weight - weights[of.IndexOf(k, 0)];
  }
  const double drifting = still_noise + change.late_noise;
  change.late_noise = drifting > 0 ? change.late_noise / drifting : 0;
  if (of.restarts() && restarts.rows <= window) change.restarted = weights[of.size() - 1];
  return change;
}

double WatchedError(double r) {
  // std::min takes its arguments in this order so that NaN counts as the largest error.
  return std::copysign(std::min(kLargestError, std::sqrt(std::log1p(r * r))), r);
}

BlockWatch ErrorWatch(Index outputs) { return {outputs, outputs, kLargestError}; }

void UpdateAlarms(const BelievedChange& believed, double rows, std::int64_t revision,
                  const Finding& noise, ChangeState& state) {
  const auto level = [rows](const AlarmState& alarm, double remembered, double probability) {
    const double kept = std::exp(-rows / remembered);
    return kept * alarm.level + (1 - kept) * std::clamp(probability, 0.0, 1.0);
  };
  const double moved = std::max(believed.moving, believed.restarted);
  const bool unusual = state.unusual.raised;
  // The alarm of noise follows the late tracks, or unusual errors that moving weights do not
  // explain.
  const double noisy = std::max(believed.late_noise, unusual ? 1 - moved : 0);
  state.noise.Update(level(state.noise, kNoiseRemembered, noisy), unusual ? kThresholds : kNever,
                     revision, noise);
  state.weights.Update(level(state.weights, kRemembered, moved), kThresholds, revision, {});
}

DriftView ViewDrift(const Hypotheses& of, const Vector& weights, const RestartState& restarts,
                    double window, double rows) {
  DriftView view;
  for (Index k = 0; k < of.beliefs(); ++k) {
    const DriftRates rates = of.RatesOf(k);
    const double weight = WeightOf(of, weights, k);
    view.beliefs.push_back({rates, k >= of.drifts, weight});
    view.rates.rate += weight * rates.rate;
    view.rates.intercept_rate += weight * rates.intercept_rate;
  }
  double drifting = 0;
  for (Index t = 0; t < of.tracks(); ++t) {
    double weight = 0;
    for (Index k = 0; k < of.drifts; ++k) weight += weights[of.IndexOf(k, t)];
    view.tracks.push_back({of.noise_rates[static_cast<std::size_t>(t)], weight});
    drifting += weight;
  }
  for (DriftView::Track& track : view.tracks) track.weight /= drifting > 0 ? drifting : 1;
  view.restarts = of.restarts();
  if (!view.restarts) return view;
  view.restart_probability = ChangeBelievedBy(of, weights, restarts, window).restarted;
  const bool latest = view.beliefs.back().weight >= 0.5;
  view.run_length = latest ? std::min(restarts.rows, rows) : rows;
  return view;
}

}  // namespace prequel
