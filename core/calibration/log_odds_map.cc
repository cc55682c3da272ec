#include "core/calibration/log_odds_map.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/calibration/offset_logistic.h"

namespace prequel {
namespace {

constexpr Index kMapKnots = 25;
constexpr double kFirstKnot = -3, kSpacing = 0.25;  // in deviations
constexpr double kLength = 0.3;                     // over which the process changes, alike
constexpr double kProcessVariance = 0.5;            // of the process, in squared nats
constexpr double kMomentRows = 10000;               // rows of the running moments
constexpr double kForgetting = 1e-3;                // δ per row
constexpr int kForgottenTogether = 32;              // rows that are forgotten at a time
constexpr double kMostLogOdds = 100;                // of p″: so no probability underflows
constexpr double kFirstMapWeight = 0.05;            // of p″

using Values = Eigen::Matrix<double, kMapKnots, 1>;
using MapCovariance = Eigen::Matrix<double, kMapKnots, kMapKnots>;

const PairWeights kMapPair(kFirstMapWeight);

const MapCovariance& PriorCovariance() {
  static const MapCovariance prior = [] {
    MapCovariance k;
    for (Index i = 0; i < kMapKnots; ++i) {
      for (Index j = 0; j < kMapKnots; ++j) {
        const double apart = kSpacing * static_cast<double>(i - j) / kLength;
        k(i, j) = kProcessVariance * std::exp(-0.5 * apart * apart);
      }
    }
    return k;
  }();
  return prior;
}

// Hats are the two hat functions that are not zero: h_first = 1 − part, and the next is part.
struct Hats {
  Index first = 0;
  double part = 0;
};

Hats HatsAt(const LogOddsMapState& state, double z) {
  const double deviation = std::sqrt(state.variance);
  const double u = deviation > 0 ? (z - state.location) / deviation : 0;
  // The place is somewhere on the knots even where z is not a number.
  const double at = std::fmax(0, std::fmin((u - kFirstKnot) / kSpacing, kMapKnots - 1));
  const Index first = std::min(static_cast<Index>(at), kMapKnots - 2);
  return {first, at - static_cast<double>(first)};
}

// Along is h(u)ᵀx.
double Along(const Hats& hats, const auto& x) {
  return (1 - hats.part) * x[hats.first] + hats.part * x[hats.first + 1];
}

// GainAt is Ph(u).
Values GainAt(const Hats& hats, const Matrix& covariance) {
  return (1 - hats.part) * covariance.col(hats.first) + hats.part * covariance.col(hats.first + 1);
}

}  // namespace

LogOddsMapState FreshLogOddsMap() {
  return {.mean = Vector::Zero(kMapKnots),
          .covariance = PriorCovariance(),
          .weights = kMapPair.Fresh()};
}

bool IsSound(const LogOddsMapState& state) {
  if (!(state.rows >= 0 && std::isfinite(state.rows)) || !std::isfinite(state.location) ||
      !(state.variance >= 0 && std::isfinite(state.variance)) || state.mean.size() != kMapKnots ||
      state.covariance.rows() != kMapKnots || state.covariance.cols() != kMapKnots) {
    return false;
  }
  const double asymmetry = (state.covariance - state.covariance.transpose()).cwiseAbs().maxCoeff();
  return state.mean.allFinite() && state.covariance.allFinite() && asymmetry < 1e-9 &&
         MapCovariance(state.covariance).llt().info() == Eigen::Success &&
         PairWeights::IsSound(state.weights);
}

double MappedLogOdds(const LogOddsMapState& state, double z, double recalibrated) {
  const Hats hats = HatsAt(state, z);
  const double nu = Along(hats, GainAt(hats, state.covariance));
  const double mapped = ShrunkLogOdds(recalibrated + Along(hats, state.mean), nu);
  return std::clamp(mapped, -kMostLogOdds, kMostLogOdds);
}

void LearnLogOddsMap(double z, double recalibrated, double y, double weight,
                     LogOddsMapState& state) {
  Eigen::Map<Values> mean(state.mean.data());
  Eigen::Map<MapCovariance> covariance(state.covariance.data());
  const Hats hats = HatsAt(state, z);
  const Values gain = GainAt(hats, state.covariance);
  LearnRow(recalibrated + Along(hats, mean), Along(hats, gain), y, weight, gain, mean, covariance);
}

void MoveLogOddsMap(double z, LogOddsMapState& state) {
  ++state.rows;
  const double share = 1 / std::min(state.rows, kMomentRows);
  const double off = z - state.location;
  state.location += share * off;
  state.variance += share * (off * (z - state.location) - state.variance);
  if (std::fmod(state.rows, kForgottenTogether) != 0) return;
  static const double kept = std::exp(-kForgetting * kForgottenTogether);
  Eigen::Map<MapCovariance> covariance(state.covariance.data());
  covariance = kept * covariance + (1 - kept) * PriorCovariance();
}

}  // namespace prequel
