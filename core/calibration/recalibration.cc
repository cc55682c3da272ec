#include "core/calibration/recalibration.h"

#include <algorithm>
#include <cmath>

#include "core/calibration/offset_logistic.h"

namespace prequel {
namespace {

constexpr Index kFeatures = 4;
constexpr double kPriorVariance = 0.1;
constexpr double kDrift = 1e-5;         // of P per row
constexpr double kMostVariance = 1;     // that drift alone leads to
constexpr double kMostRawLogOdds = 30;  // of z: beyond, p is as good as 0 or 1
constexpr double kFirstWeight = 0.05;   // of p'

using Features = Eigen::Matrix<double, kFeatures, 1>;
using Covariance = Eigen::Matrix<double, kFeatures, kFeatures>;

const PairWeights kPair(kFirstWeight);

// EventOf is the event of one row, and its probability.
RecalibratedRow EventOf(const ClassPredictive& raw, Index i) {
  const auto logs = raw.log_probabilities.col(i);
  if (logs.size() == 2) return {.label = 1, .log_yes = logs[1], .log_no = logs[0]};
  RecalibratedRow event;
  event.log_yes = logs.maxCoeff(&event.label);
  // The other classes, beside the likeliest of them.
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
  return std::clamp(event.log_yes - event.log_no, -kMostRawLogOdds, kMostRawLogOdds);
}

Features FeaturesOf(double z) { return {z / 3, 2 * Sigmoid(z) - 1, std::clamp(z, -1.0, 1.0), 1}; }

// RecalibratedLogOdds is logit p'.
double RecalibratedLogOdds(const RecalibrationState& state, double z) {
  const Features phi = FeaturesOf(z);
  const Eigen::Map<const Covariance> covariance(state.covariance.data());
  const Eigen::Map<const Features> mean(state.mean.data());
  return ShrunkLogOdds(z + phi.dot(mean), phi.dot(covariance * phi));
}

void LearnFeatures(double z, double y, double weight, RecalibrationState& state) {
  Eigen::Map<Covariance> covariance(state.covariance.data());
  Eigen::Map<Features> mean(state.mean.data());
  covariance *= 1 - kDrift / kMostVariance;
  covariance.diagonal().array() += kDrift;
  const Features phi = FeaturesOf(z);
  const Features gain = covariance * phi;
  LearnRow(z + phi.dot(mean), phi.dot(gain), y, weight, gain, mean, covariance);
}

}  // namespace

RecalibrationState FreshRecalibration() {
  return {.mean = Vector::Zero(kFeatures),
          .covariance = kPriorVariance * Matrix::Identity(kFeatures, kFeatures),
          .weights = kPair.Fresh(),
          .map = FreshLogOddsMap()};
}

bool IsSound(const RecalibrationState& state) {
  if (state.mean.size() != kFeatures || state.covariance.rows() != kFeatures ||
      state.covariance.cols() != kFeatures) {
    return false;
  }
  const double asymmetry = (state.covariance - state.covariance.transpose()).cwiseAbs().maxCoeff();
  return state.mean.allFinite() && state.covariance.allFinite() && asymmetry < 1e-9 &&
         Covariance(state.covariance).llt().info() == Eigen::Success &&
         PairWeights::IsSound(state.weights) && IsSound(state.map);
}

void Recalibrate(const RecalibrationState& state, const ClassPredictive& raw,
                 std::vector<RecalibratedRow>& rows, ClassPredictive& out) {
  out.probabilities = raw.probabilities;
  out.log_probabilities = raw.log_probabilities;
  out.wants_entropy = raw.wants_entropy;
  if (raw.wants_entropy) out.expected_entropy = raw.expected_entropy;
  rows.resize(static_cast<std::size_t>(raw.probabilities.cols()));
  const double weight = PairWeights::Weight(state.weights);
  const double map_weight = PairWeights::Weight(state.map.weights);
  const bool two = raw.probabilities.rows() == 2;
  for (Index i = 0; i < raw.probabilities.cols(); ++i) {
    RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    row = EventOf(raw, i);
    const double z = LogOddsOf(row);
    row.log_odds = RecalibratedLogOdds(state, z);
    row.mapped = MappedLogOdds(state.map, z, row.log_odds);
    // Neither p' nor p″ is smaller than e^{−100}, so no probability underflows.
    const double odds = std::exp(row.log_odds), no = 1 / (1 + odds);
    const double mapped_odds = std::exp(row.mapped), mapped_no = 1 / (1 + mapped_odds);
    auto probabilities = out.probabilities.col(i);
    auto logs = out.log_probabilities.col(i);
    const double before = two ? raw.probabilities(0, i) : std::exp(row.log_no);
    row.yes = (1 - weight) * raw.probabilities(row.label, i) + weight * odds * no;
    row.no = (1 - weight) * before + weight * no;
    const double yes_after = (1 - map_weight) * row.yes + map_weight * mapped_odds * mapped_no;
    const double no_after = (1 - map_weight) * row.no + map_weight * mapped_no;
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
                        const Vector& weights, RecalibrationState& state,
                        RecalibrationScratch& scratch) {
  const Index count = labels.cols();
  Matrix& densities = scratch.log_densities;
  Matrix& of_map = scratch.map_log_densities;
  densities.resize(2, count);
  of_map.resize(2, count);
  const auto weight = [&](Index i) { return weights.size() > 0 ? weights[i] : 1; };
  const auto came_true = [&](Index i) {
    return static_cast<Index>(labels(0, i)) == rows[static_cast<std::size_t>(i)].label;
  };
  for (Index i = 0; i < count; ++i) {
    const RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    const bool yes = came_true(i);
    densities(0, i) = yes ? row.log_yes : row.log_no;
    densities(1, i) = -std::log1p(std::exp(yes ? -row.log_odds : row.log_odds));
    of_map(0, i) = std::log(yes ? row.yes : row.no);
    of_map(1, i) = -std::log1p(std::exp(yes ? -row.mapped : row.mapped));
    densities.col(i) *= weight(i);
    of_map.col(i) *= weight(i);
  }
  if (!densities.allFinite() || !of_map.allFinite()) return;
  kPair.Absorb(densities, state.weights);
  kPair.Absorb(of_map, state.map.weights);
  for (Index i = 0; i < count; ++i) {
    const RecalibratedRow& row = rows[static_cast<std::size_t>(i)];
    const double z = LogOddsOf(row), y = came_true(i) ? 1 : 0;
    LearnFeatures(z, y, weight(i), state);
    LearnLogOddsMap(z, row.log_odds, y, weight(i), state.map);
  }
  for (Index i = 0; i < count; ++i) {
    MoveLogOddsMap(LogOddsOf(rows[static_cast<std::size_t>(i)]), state.map);
  }
}

}  // namespace prequel
