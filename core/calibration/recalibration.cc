#include "core/calibration/recalibration.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace prequel {
namespace {

constexpr Index kFeatures = 4;
constexpr double kPriorVariance = 0.1;
constexpr double kDrift = 1e-5;        // of P per row
constexpr double kMostVariance = 1;    // that drift alone leads to
constexpr double kMostLogOdds = 30;    // of z: beyond, p is as good as 0 or 1
constexpr double kFirstWeight = 0.05;  // of p'

using Features = Eigen::Matrix<double, kFeatures, 1>;
using Covariance = Eigen::Matrix<double, kFeatures, kFeatures>;

const PairWeights kPair(kFirstWeight);

double Sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// The event of one row, and its probability.
RecalibratedRow EventOf(const ClassPredictive& raw, Index i) {
  const auto logs = raw.log_probabilities.col(i);
  if (logs.size() == 2) return {.label = 1, .log_yes = logs[1], .log_no = logs[0]};
  RecalibratedRow event;
  event.log_yes = logs.maxCoeff(&event.label);
  // The others, beside the likeliest of them.
  double second = -HUGE_VAL, sum = 0;
  for (Index c = 0; c < logs.size(); ++c) {
    if (c != event.label) second = std::max(second, logs[c]);
  }
  for (Index c = 0; c < logs.size(); ++c) {
    if (c != event.label) sum += std::exp(logs[c] - second);
  }
  event.log_no = second + std::log(sum);
  return event;
}

double LogOddsOf(const RecalibratedRow& event) {
  return std::clamp(event.log_yes - event.log_no, -kMostLogOdds, kMostLogOdds);
}

Features FeaturesOf(double z) { return {z / 3, 2 * Sigmoid(z) - 1, std::clamp(z, -1.0, 1.0), 1}; }

double Shrink(double variance) {
  constexpr double kBetaSquared = 8 / std::numbers::pi;
  return std::sqrt(kBetaSquared / (variance + kBetaSquared));
}

// logit p'.
double RecalibratedLogOdds(const RecalibrationState& state, double z) {
  const Features phi = FeaturesOf(z);
  const Eigen::Map<const Covariance> covariance(state.covariance.data());
  const Eigen::Map<const Features> mean(state.mean.data());
  const double variance = phi.dot(covariance * phi);
  return Shrink(variance) * (z + phi.dot(mean));
}

// The root of a + ν σ(k a) = a₀ + ν y, where the left side increases: Newton's step while it stays
// inside the bracket, else bisection.
double SolveMean(double a0, double nu, double y, double k) {
  double low = a0 + nu * (y - 1), high = a0 + nu * y;
  double a = a0;
  for (int i = 0; i < 60; ++i) {
    const double p = Sigmoid(k * a);
    const double excess = a + nu * p - (a0 + nu * y);
    (excess > 0 ? high : low) = a;
    double next = a - excess / (1 + nu * k * p * (1 - p));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    // The error left is about the square of the last step.
    if (std::abs(next - a) <= 1e-4 * (1 + std::abs(a))) return next;
    a = next;
  }
  return a;
}

// The implicit step of one row, in closed form but for one root
// (core/rules/logistic_closed_form.h), with k of the variance before it.
void LearnRow(double z, double y, RecalibrationState& state) {
  Eigen::Map<Covariance> covariance(state.covariance.data());
  Eigen::Map<Features> mean(state.mean.data());
  covariance *= 1 - kDrift / kMostVariance;
  covariance.diagonal().array() += kDrift;
  const Features phi = FeaturesOf(z);
  const Features gain = covariance * phi;
  const double nu = phi.dot(gain);
  const double k = Shrink(nu);
  const double p = Sigmoid(k * SolveMean(z + phi.dot(mean), nu, y, k));
  const double curvature = k * p * (1 - p);
  mean += gain * (y - p);
  const Covariance outer = gain * gain.transpose();  // symmetric to the last bit
  covariance -= (curvature / (1 + nu * curvature)) * outer;
}

}  // namespace

RecalibrationState FreshRecalibration() {
  return {.mean = Vector::Zero(kFeatures),
          .covariance = kPriorVariance * Matrix::Identity(kFeatures, kFeatures),
          .weights = kPair.Fresh()};
}

bool IsSound(const RecalibrationState& state) {
  if (state.mean.size() != kFeatures || state.covariance.rows() != kFeatures ||
      state.covariance.cols() != kFeatures) {
    return false;
  }
  const double asymmetry = (state.covariance - state.covariance.transpose()).cwiseAbs().maxCoeff();
  return state.mean.allFinite() && state.covariance.allFinite() && asymmetry < 1e-9 &&
         Covariance(state.covariance).llt().info() == Eigen::Success &&
         PairWeights::IsSound(state.weights);
}

void Recalibrate(const RecalibrationState& state, const ClassPredictive& raw,
                 std::vector<RecalibratedRow>& rows, ClassPredictive& out) {
  out.probabilities = raw.probabilities;
  out.log_probabilities = raw.log_probabilities;
  out.wants_entropy = raw.wants_entropy;
  if (raw.wants_entropy) out.expected_entropy = raw.expected_entropy;
  rows.resize(static_cast<std::size_t>(raw.probabilities.cols()));
  const double weight = PairWeights::Weight(state.weights);
  const bool two = raw.probabilities.rows() == 2;
  for (Index i = 0; i < raw.probabilities.cols(); ++i) {
    RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    row = EventOf(raw, i);
    row.log_odds = RecalibratedLogOdds(state, LogOddsOf(row));
    // p' is no smaller than e^{−100}, so neither probability underflows.
    const double odds = std::exp(row.log_odds), no = 1 / (1 + odds);
    auto probabilities = out.probabilities.col(i);
    auto logs = out.log_probabilities.col(i);
    const double before = two ? raw.probabilities(0, i) : std::exp(row.log_no);
    const double yes_after = (1 - weight) * raw.probabilities(row.label, i) + weight * odds * no;
    const double no_after = (1 - weight) * before + weight * no;
    if (two) {
      probabilities[0] = no_after;
      logs[0] = std::log(no_after);
    } else {
      logs.array() += std::log(no_after) - row.log_no;
      probabilities = logs.array().exp();
    }
    probabilities[row.label] = yes_after;
    logs[row.label] = std::log(yes_after);
    if (!raw.wants_entropy) continue;
    const double entropy = -raw.probabilities.col(i).dot(raw.log_probabilities.col(i));
    const double after = -probabilities.dot(logs);
    out.expected_entropy[i] = entropy > 0 ? raw.expected_entropy[i] / entropy * after : after;
  }
}

void LearnRecalibration(const std::vector<RecalibratedRow>& rows, const Matrix& labels,
                        RecalibrationState& state, RecalibrationScratch& scratch) {
  const Index count = labels.cols();
  Matrix& densities = scratch.log_densities;
  densities.resize(2, count);
  for (Index i = 0; i < count; ++i) {
    const RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    const bool yes = static_cast<Index>(labels(0, i)) == row.label;
    densities(0, i) = yes ? row.log_yes : row.log_no;
    densities(1, i) = -std::log1p(std::exp(yes ? -row.log_odds : row.log_odds));
  }
  if (!densities.allFinite()) return;
  kPair.Absorb(densities, state.weights);
  for (Index i = 0; i < count; ++i) {
    const RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    LearnRow(LogOddsOf(row), static_cast<Index>(labels(0, i)) == row.label ? 1 : 0, state);
  }
}

}  // namespace prequel
