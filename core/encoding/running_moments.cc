#include "core/encoding/running_moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace prequel {
namespace {

constexpr double kRelativeNoise = 1e-13;
constexpr double kSmallestScale = 1e-100;

// Values are at most 1e100 in magnitude: no mean of theirs is beyond kLargestMean, and no sum comes
// near the other bound, which leaves room for more.
constexpr double kLargestMean = 1e101;
constexpr double kLargestSum = 1e300;

// Columns worked on together: a vector of the compiler, whose sums stay in registers.
constexpr Index kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// n, m and M2 over one minibatch, and how many of its values lay beyond the bounds.
template <class T>
struct BatchMoments {
  T count, mean, m2, far;
};

// Bounds: values beyond them count as if they lay there.
template <class T>
struct Bounds {
  T low, high;
};

template <class T>
T Held(const Bounds<T>& bounds, T x) {
  x = x < bounds.low ? bounds.low : x;  // NaN stays
  return x > bounds.high ? bounds.high : x;
}

// Compute finds the moments of the column(s) that column(j) points to in example j; T is double or
// Lanes. The second pass sums d = x − m twice: Σd corrects the rounding of m, and
// M2 = Σd² − (Σd)²/n.
template <class T, class Column>
void Compute(Index examples, const Column& column, const Bounds<T>& bounds,
             BatchMoments<T>& result) {
  const T zero = {};
  const T one = zero + 1.0;
  T x, count = zero, sum = zero, far = zero, rest = zero, square = zero;
  for (Index j = 0; j < examples; ++j) {
    std::memcpy(&x, column(j), sizeof(T));
    far += x < bounds.low ? one : zero;
    far += x > bounds.high ? one : zero;
    x = Held(bounds, x);
    count += x == x ? one : zero;
    sum += x == x ? x : zero;
  }
  const T divisor = count > 0.0 ? count : one;
  const T mean = sum / divisor;
  for (Index j = 0; j < examples; ++j) {
    std::memcpy(&x, column(j), sizeof(T));
    x = Held(bounds, x);
    const T d = x == x ? x - mean : zero;
    rest += d;
    square += d * d;
  }
  const T correction = rest / divisor;
  const T m2 = square - rest * correction;
  result.count = count;
  result.mean = mean + correction;
  result.m2 = m2 > 0.0 ? m2 : zero;
  result.far = far;
}

// BoundsOf returns the bounds of column i, given what was seen so far. While little was, there are
// none, since any value may be a usual one.
Bounds<double> BoundsOf(const RunningMoments& all, double bound, Index i) {
  const double scale = all.KnownScale(i);
  const bool bounded = all.count[i] >= RunningMoments::kNear && scale > 0;
  const double reach = bounded ? bound * scale * (1 + all.rare[i]) : RunningMoments::kUnbounded;
  return {all.mean[i] - reach, all.mean[i] + reach};
}

// Count adds `far` of `rows` more rows to `all`, a count over about the last `memory` rows.
void Count(double far, double rows, double memory, double& all) {
  if (far == 0 && all == 0) return;
  all = all * std::exp(-rows / memory) + far * std::min(1.0, memory / rows);
  if (all < 1e-9) all = 0;
}

// Shorten makes what was seen count as `window` values at most.
void Shorten(double window, Index i, RunningMoments& all) {
  if (all.count[i] <= window) return;
  all.m2[i] *= window / all.count[i];
  all.count[i] = window;
}

void Merge(double added, double mean, double m2, double window, Index i, RunningMoments& all) {
  if (added == 0) return;
  Shorten(window, i, all);
  const double count = all.count[i];
  const double total = count + added;
  const double delta = mean - all.mean[i];
  all.mean[i] += delta * (added / total);
  all.m2[i] += m2 + delta * delta * (count * added / total);
  all.count[i] = total;
}

// column(j) points to the values of example j.
template <class Column>
void AbsorbColumns(Index examples, const Column& column, double window, double bound,
                   RunningMoments& all) {
  // `compute` is for one column by itself.
  const auto compute = [&](Index i, const Bounds<double>& bounds, BatchMoments<double>& batch) {
    Compute(
        examples, [&](Index j) { return column(j) + i; }, bounds, batch);
  };
  const auto merge = [&](BatchMoments<double> batch, Index i) {
    const auto rows = static_cast<double>(examples);
    const double far = batch.far;
    Count(far, rows, RunningMoments::kNear, all.far[i]);
    Count(far, rows, RunningMoments::kLong, all.rare[i]);
    if (all.far[i] > RunningMoments::kFar) {
      constexpr double kNone = RunningMoments::kUnbounded;
      compute(i, {-kNone, kNone}, batch);
      Shorten(RunningMoments::kNear, i, all);
    }
    Merge(batch.count, batch.mean, batch.m2, window, i, all);
  };
  Index done = 0;
  while (done < all.size()) {
    if (all.size() < kLanes) {
      BatchMoments<double> batch;
      compute(done, BoundsOf(all, bound, done), batch);
      merge(batch, done++);
      continue;
    }
    // The last group may begin with columns that are done already.
    const Index first = std::min(done, all.size() - kLanes);
    Bounds<Lanes> bounds;
    for (Index i = 0; i < kLanes; ++i) {
      const Bounds<double> of_column = BoundsOf(all, bound, first + i);
      bounds.low[i] = of_column.low;
      bounds.high[i] = of_column.high;
    }
    BatchMoments<Lanes> batch;
    Compute(
        examples, [&](Index j) { return column(j) + first; }, bounds, batch);
    for (Index i = done - first; i < kLanes; ++i) {
      merge({batch.count[i], batch.mean[i], batch.m2[i], batch.far[i]}, first + i);
    }
    done = first + kLanes;
  }
}

}  // namespace

RunningMoments RunningMoments::Empty(Index columns) {
  const Vector none = Vector::Zero(columns);
  return {none, none, none, none, none};
}

void RunningMoments::Absorb(ConstMatrixRef x, double window, double bound) {
  const auto column = [data = x.data(), stride = x.outerStride()](Index j) {
    return data + j * stride;
  };
  AbsorbColumns(x.cols(), column, window, bound, *this);
}

void RunningMoments::Absorb(ConstMatrixRef x, const std::vector<Index>& kept, double window,
                            double bound) {
  const auto column = [data = x.data(), stride = x.outerStride(), &kept](Index j) {
    return data + kept[static_cast<std::size_t>(j)] * stride;
  };
  AbsorbColumns(static_cast<Index>(kept.size()), column, window, bound, *this);
}

double RunningMoments::KnownScale(Index i) const {
  if (count[i] < 2) return 0;
  const double scale = std::sqrt(m2[i] / (count[i] - 1));
  const double noise = std::max(kRelativeNoise * std::abs(mean[i]), kSmallestScale);
  return scale > noise ? scale : 0;
}

bool RunningMoments::IsValid() const {
  for (const Vector* each : {&mean, &m2, &far, &rare}) {
    if (each->size() != size()) return false;
  }
  for (Index i = 0; i < size(); ++i) {
    const bool sound = count[i] >= 0 && count[i] <= kLargestSum && m2[i] >= 0 &&
                       m2[i] <= kLargestSum && std::abs(mean[i]) <= kLargestMean && far[i] >= 0 &&
                       far[i] <= 2 * kNear && rare[i] >= 0 && rare[i] <= 2 * kLong;
    if (!sound) return false;
  }
  return true;
}

}  // namespace prequel
