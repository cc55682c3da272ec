#include "core/skill/references.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/distributions/distribution.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr double kFirstRows = 2;  // that the first width of a value is worth
constexpr Index kTile = 256;      // rows of classes at a time

// Normal is N(m, s²); of counts rounded to the nearest whole number, except for its CRPS.
class Normal final : public Distribution {
 public:
  Normal(double mean, double deviation, bool rounded)
      : mean_(mean), deviation_(deviation), rounded_(rounded) {}

  bool discrete() const override { return rounded_; }
  double LogDensity(double y) const override {
    if (rounded_) {
      // The mass is a difference of tails on the side of y, which do not cancel.
      const double near = (std::abs(y - mean_) - 0.5) / deviation_;
      const double mass = NormalCdf(-near) - NormalCdf(-(near + 1 / deviation_));
      if (mass > 0) return std::log(mass);
    }
    const double z = (y - mean_) / deviation_;
    return -0.5 * z * z - std::log(deviation_) - 0.5 * std::log(2 * std::numbers::pi);
  }
  double Cdf(double y) const override {
    return NormalCdf(((rounded_ ? std::floor(y) + 0.5 : y) - mean_) / deviation_);
  }
  double Quantile(double p) const override { return mean_ + deviation_ * NormalQuantile(p); }
  // s [z (2Φ(z) − 1) + 2φ(z) − 1/√π]
  double Crps(double y) const override {
    const double z = (y - mean_) / deviation_;
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
    return deviation_ * (z * (1 - 2 * NormalCdf(-z)) + 2 * density - std::numbers::inv_sqrtpi);
  }
  void AddCrps(double y, double share, double& sum) const override { sum += share * Crps(y); }
  double Mean() const override { return mean_; }
  double Residual(double y) const override { return y - mean_; }
  double EpistemicVariance() const override { return 0; }
  double AleatoricVariance() const override { return deviation_ * deviation_; }

 private:
  double mean_, deviation_;
  bool rounded_;
};

// Deviation is √ of a mean square that `first` has been counted into.
double Deviation(double squares, double rows, double first) {
  return std::max(std::sqrt((squares + kFirstRows * first * first) / (rows + kFirstRows)),
                  first * 1e-9);
}

void AddNormal(double mean, double deviation, bool counts, double y, double share, double weight,
               Tally& tally) {
  const Normal predicted(mean, deviation, counts);
  const double upper = predicted.Cdf(y);
  tally.Add(ValueOutcome{.predicted = predicted,
                         .y = y,
                         .share = share,
                         .upper = upper,
                         .lower = counts ? predicted.Cdf(y - 1) : upper,
                         .weight = weight});
}

// AddClasses adds rows of which the same is predicted, which each column of `probabilities` holds.
void AddClasses(const Matrix& labels, const Vector& weights, const Matrix& probabilities,
                ReferenceScratch& scratch, Tally& tally) {
  Matrix& logs = scratch.log_probabilities;
  const Vector* const of = weights.size() > 0 ? &scratch.weights : nullptr;
  logs = probabilities.array().log();
  for (Index first = 0; first < labels.cols(); first += probabilities.cols()) {
    const Index count = std::min(probabilities.cols(), labels.cols() - first);
    if (of != nullptr) scratch.weights = weights.segment(first, count);
    tally.Add(ClassOutcomes{probabilities.leftCols(count), logs.leftCols(count),
                            labels.middleCols(first, count), of});
  }
}

bool IsCounted(double x) { return std::isfinite(x) && x >= 0; }

}  // namespace

ReferenceState References::Fresh() const {
  ReferenceState state;
  state.counts.setZero(classes_);
  const Index values = classes_ > 0 ? 0 : outputs_;
  state.errors.setZero(values);
  state.mean.setZero(values);
  state.squares.setZero(values);
  return state;
}

bool References::IsSound(const ReferenceState& state) const {
  const Index values = classes_ > 0 ? 0 : outputs_;
  for (const Vector* sums : {&state.errors, &state.squares}) {
    if (sums->size() != values || !sums->allFinite() || (sums->array() < 0).any()) return false;
  }
  if (state.mean.size() != values || !state.mean.allFinite()) return false;
  if (state.counts.size() != classes_ || !state.counts.allFinite() ||
      (state.counts.array() < 0).any()) {
    return false;
  }
  if (!IsCounted(state.seen) || !IsCounted(state.judged) || !IsCounted(state.kept) ||
      state.kept > state.judged || state.judged > state.seen) {
    return false;
  }
  if (state.last.size() != (state.seen > 0 ? outputs_ : 0) || !state.last.allFinite()) return false;
  if (classes_ == 0 || state.last.size() == 0) return true;
  return state.last[0] >= 0 && state.last[0] < static_cast<double>(classes_) &&
         state.last[0] == std::floor(state.last[0]);
}

void References::LastClass(const ReferenceState& state, Vector& probabilities) const {
  const auto classes = static_cast<double>(classes_);
  if (state.last.size() == 0) {
    probabilities.setConstant(classes_, 1 / classes);
    return;
  }
  const double again = (state.kept + 1) / (state.judged + 2);
  probabilities.setConstant(classes_, (1 - again) / (classes - 1));
  probabilities[static_cast<Index>(state.last[0])] = again;
}

double References::LastDeviation(const ReferenceState& state, Index output, double scale) const {
  const double first = counts_ ? std::max(scale, state.mean[output]) : scale;
  return Deviation(state.errors[output], state.judged, first);
}

void References::Score(const ReferenceState& state, const Matrix& targets, const Vector& weights,
                       const Vector& scale, ReferenceScratch& scratch, Tally& last,
                       Tally& average) const {
  const Index rows = targets.cols();
  const bool begun = state.last.size() > 0;
  if (classes_ > 0) {
    const auto classes = static_cast<double>(classes_);
    Matrix& p = scratch.probabilities;
    p.resize(classes_, std::min(rows, kTile));
    LastClass(state, scratch.of_last);
    p.colwise() = scratch.of_last;
    AddClasses(targets, weights, p, scratch, last);
    for (Index i = 0; i < p.cols(); ++i)
      p.col(i) = (state.counts.array() + 1) / (state.seen + classes);
    AddClasses(targets, weights, p, scratch, average);
    return;
  }
  if (!begun) return;
  for (Index i = 0; i < rows; ++i) {
    const double weight = weights.size() > 0 ? weights[i] : 1;
    const double share = weight / static_cast<double>(outputs_);
    last.AddExample(weight);
    average.AddExample(weight);
    for (Index o = 0; o < outputs_; ++o) {
      const double y = targets(o, i);
      const double first = counts_ ? std::max(scale[o], state.mean[o]) : scale[o];
      AddNormal(state.last[o], LastDeviation(state, o, scale[o]), counts_, y, share, weight, last);
      AddNormal(state.mean[o], Deviation(state.squares[o], state.seen, first), counts_, y, share,
                weight, average);
    }
  }
}

void References::Absorb(const Matrix& targets, ReferenceState& state) const {
  if (targets.cols() == 0) return;
  if (classes_ > 0) {
    AbsorbClasses(targets, state);
  } else {
    AbsorbValues(targets, state);
  }
  const auto rows = static_cast<double>(targets.cols());
  if (state.last.size() > 0) state.judged += rows;
  state.last = targets.col(targets.cols() - 1);
  state.seen += rows;
}

void References::AbsorbClasses(const Matrix& targets, ReferenceState& state) const {
  for (Index i = 0; i < targets.cols(); ++i) {
    state.counts[static_cast<Index>(targets(0, i))] += 1;
    if (state.last.size() > 0 && targets(0, i) == state.last[0]) state.kept += 1;
  }
}

void References::AbsorbValues(const Matrix& targets, ReferenceState& state) const {
  for (Index o = 0; o < outputs_; ++o) {
    double errors = state.errors[o], mean = state.mean[o], squares = state.squares[o];
    double seen = state.seen;
    for (Index i = 0; i < targets.cols(); ++i) {
      const double y = targets(o, i);
      if (state.last.size() > 0) errors += (y - state.last[o]) * (y - state.last[o]);
      const double before = y - mean;
      mean += before / ++seen;
      squares += before * (y - mean);
    }
    if (!std::isfinite(errors) || !std::isfinite(mean) || !std::isfinite(squares)) continue;
    state.errors[o] = errors;
    state.mean[o] = mean;
    state.squares[o] = std::max(squares, 0.0);
  }
}

}  // namespace prequel
