#include "core/change/block_watch.h"

#include <algorithm>
#include <cmath>

#include "core/distributions/student_t.h"

namespace prequel {
namespace {

constexpr double kFirstBlocks = 8;  // from which on there is something to compare with
constexpr double kFarOut = 3;       // deviations
constexpr auto kRows = static_cast<double>(BlockWatch::kBlock);

// AsItWas is the mean or the deviation of a column in earlier blocks, of which this is μ, in its
// units.
double AsItWas(const Finding& finding, const RunningMoments& units) {
  const double scale = units.Scale(finding.column);
  return finding.spread ? scale * std::sqrt(std::max(std::expm1(finding.before), 0.0))
                        : units.mean[finding.column] + scale * finding.before;
}

// AsItIs is what that mean or deviation is in the block at hand.
double AsItIs(const Finding& finding, const BlockWatchState& state) {
  const Index column = finding.column;
  return finding.spread ? std::sqrt(state.spread[column] / kRows) : state.whole[column];
}

// Beside is one statistic of a block, beside earlier ones.
struct Beside {
  double& mean;
  double& variance;
  double blocks, floor;

  // t of x; 0 while there is too little to compare with.
  double Deviation(double x) const {
    if (blocks < kFirstBlocks) return 0;
    const double unbiased = variance * blocks / (blocks - 1);
    return (x - mean) / std::sqrt((unbiased + floor * floor) * (1 + 1 / blocks));
  }
  void Absorb(double x) {
    double d = x - mean;
    if (blocks >= kFirstBlocks) {
      const double most = kFarOut * std::sqrt(variance + floor * floor);
      d = std::clamp(d, -most, most);
    }
    const double share = 1 / (blocks + 1);
    mean += share * d;
    variance = (1 - share) * (variance + share * d * d);
  }
};

}  // namespace

BlockWatch::BlockWatch(Index columns, Index numeric, double clip)
    : columns_(std::min(columns, kMostColumns)),
      numeric_(std::min(numeric, columns_)),
      clip_(clip) {}

BlockWatchState BlockWatch::Fresh() const {
  return {.sums = Vector::Zero(columns_),
          .squares = Vector::Zero(numeric_),
          .mean = Vector::Zero(columns_ + numeric_),
          .variance = Vector::Zero(columns_ + numeric_),
          .whole = Vector::Zero(numeric_),
          .spread = Vector::Zero(numeric_)};
}

bool BlockWatch::IsSound(const BlockWatchState& state) const {
  for (const double count : {state.seen, state.rows, state.blocks}) {
    if (!std::isfinite(count) || count < 0 || count != std::floor(count)) return false;
  }
  return state.rows < kRows && state.rows <= state.seen && state.blocks <= kMemory &&
         state.sums.size() == columns_ && state.sums.allFinite() &&
         state.squares.size() == numeric_ && state.squares.allFinite() &&
         (state.squares.array() >= 0).all() && state.mean.size() == columns_ + numeric_ &&
         state.mean.allFinite() && state.variance.size() == columns_ + numeric_ &&
         state.variance.allFinite() && (state.variance.array() >= 0).all() &&
         state.whole.size() == numeric_ && state.whole.allFinite() &&
         state.spread.size() == numeric_ && state.spread.allFinite() &&
         (state.spread.array() >= 0).all();
}

void BlockWatch::Standardize(const Matrix& inputs, const RunningMoments& moments,
                             const Matrix& encoded, Matrix& z) const {
  for (Index j = 0; j < numeric_; ++j) {
    const double mean = moments.mean[j], factor = 1 / moments.Scale(j);
    for (Index i = 0; i < z.cols(); ++i) {
      const double x = (inputs(j, i) - mean) * factor;
      z(j, i) = x == x ? std::clamp(x, -clip_, clip_) : 0;  // what is missing is the mean
    }
  }
  z.bottomRows(columns_ - numeric_) = encoded.middleRows(numeric_, columns_ - numeric_);
}

void BlockWatch::Absorb(const Matrix& inputs, const RunningMoments& moments, const Matrix& encoded,
                        std::int64_t revision, Matrix& z, BlockWatchState& state,
                        AlarmState& alarm) const {
  z.resize(columns_, encoded.cols());  // also of a young stream: so it is grown from the start
  if (!Settled(static_cast<double>(encoded.cols()), state)) return;
  Standardize(inputs, moments, encoded, z);
  Absorb(z, &inputs, &moments, revision, state, alarm);
}

void BlockWatch::Absorb(const Matrix& z, std::int64_t revision, BlockWatchState& state,
                        AlarmState& alarm) const {
  if (!Settled(static_cast<double>(z.cols()), state)) return;
  Absorb(z, nullptr, nullptr, revision, state, alarm);
}

bool BlockWatch::Settled(double rows, BlockWatchState& state) const {
  const bool young = state.seen < kFirstRows;
  state.seen += rows;
  return !young && columns_ > 0;
}

// Welford's update: neither a large mean nor a large value costs accuracy.
void BlockWatch::AddWhole(ConstVectorRef x, const RunningMoments& units,
                          BlockWatchState& state) const {
  const double share = 1 / (state.rows + 1);
  for (Index j = 0; j < numeric_; ++j) {
    const double value = x[j] == x[j] ? x[j] : units.mean[j];
    const double d = value - state.whole[j];
    state.whole[j] += share * d;
    state.spread[j] += d * (value - state.whole[j]);
  }
}

void BlockWatch::Absorb(const Matrix& z, const Matrix* inputs, const RunningMoments* units,
                        std::int64_t revision, BlockWatchState& state, AlarmState& alarm) const {
  for (Index i = 0; i < z.cols(); ++i) {
    if (units != nullptr) AddWhole(inputs->col(i), *units, state);
    state.sums += z.col(i);
    state.squares += z.col(i).head(numeric_).cwiseAbs2();
    if (++state.rows == kRows) EndBlock(units, revision, state, alarm);
  }
}

void BlockWatch::EndBlock(const RunningMoments* units, std::int64_t revision,
                          BlockWatchState& state, AlarmState& alarm) const {
  // f: one row at the bound.
  const double mean_floor = clip_ / kRows, spread_floor = 0.5 * std::log1p(clip_ * clip_ / kRows);
  const double k = state.blocks;
  double farthest = 0;
  Finding finding;
  for (Index j = 0; j < columns_ + numeric_; ++j) {
    const bool spread = j >= columns_;
    const Index column = spread ? j - columns_ : j;
    const double b = state.sums[column] / kRows;
    double x = b;
    if (spread) x = std::log1p(std::max(state.squares[column] / kRows - b * b, 0.0));
    Beside beside{state.mean[j], state.variance[j], k, spread ? spread_floor : mean_floor};
    const double t = std::abs(beside.Deviation(x));
    if (t > farthest) {
      farthest = t;
      finding = {.column = column, .spread = spread, .before = beside.mean, .after = x};
    }
    beside.Absorb(x);
  }
  state.blocks = std::min(k + 1, kMemory);
  if (k >= kFirstBlocks) {
    if (units != nullptr && finding.column < numeric_) {
      finding.before = AsItWas(finding, *units);
      finding.after = AsItIs(finding, state);
    }
    const StudentT alike{.dof = k - 1};
    const double chance = 2 * static_cast<double>(columns_ + numeric_) * alike.Cdf(-farthest);
    const bool was_raised = alarm.raised;
    alarm.Update(1 - std::min(chance, 1.0), kThresholds, revision, finding);
    if (units != nullptr && state.just_raised && alarm.raised) {
      const Index column = alarm.found.column;
      alarm.found.after =
          column < numeric_ ? AsItIs(alarm.found, state) : state.sums[column] / kRows;
    }
    state.just_raised = alarm.raised && !was_raised;
  }
  state.rows = 0;
  for (Vector* sums : {&state.sums, &state.squares, &state.whole, &state.spread}) sums->setZero();
}

}  // namespace prequel
