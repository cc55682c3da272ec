#include "core/encoding/running_moments.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace prequel {
namespace {

constexpr double kRelativeNoise = 1e-13;
constexpr double kSmallestScale = 1e-100;

// Values are at most 1e100 in magnitude: no mean of theirs is beyond the one, and no sum comes near
// the other, which leaves room for more.
constexpr double kLargestMean = 1e101;
constexpr double kLargestSum = 1e300;

// Columns worked on together: a vector of the compiler, whose sums stay in registers.
constexpr Index kLanes = 4;
using Lanes = double __attribute__((vector_size(kLanes * sizeof(double))));

// n, m and M2 over one minibatch.
template <class T>
struct BatchMoments {
  T count, mean, m2;
};

// Of the column(s) that column(j) points to in example j; T is double or Lanes. The second pass
// sums d = x − m twice: Σd corrects the rounding of m, and M2 = Σd² − (Σd)²/n.
template <class T, class Column>
void Compute(Index examples, const Column& column, BatchMoments<T>& result) {
  const T zero = {};
  const T one = zero + 1.0;
  T x, count = zero, sum = zero, rest = zero, square = zero;
  for (Index j = 0; j < examples; ++j) {
    std::memcpy(&x, column(j), sizeof(T));
    count += x == x ? one : zero;
    sum += x == x ? x : zero;
  }
  const T divisor = count > 0.0 ? count : one;
  const T mean = sum / divisor;
  for (Index j = 0; j < examples; ++j) {
    std::memcpy(&x, column(j), sizeof(T));
    const T d = x == x ? x - mean : zero;
    rest += d;
    square += d * d;
  }
  const T correction = rest / divisor;
  const T m2 = square - rest * correction;
  result.count = count;
  result.mean = mean + correction;
  result.m2 = m2 > 0.0 ? m2 : zero;
}

void Merge(double added, double mean, double m2, double window, Index i, RunningMoments& all) {
  if (added == 0) return;
  if (all.count[i] > window) {
    all.m2[i] *= window / all.count[i];
    all.count[i] = window;
  }
  const double count = all.count[i];
  const double total = count + added;
  const double delta = mean - all.mean[i];
  all.mean[i] += delta * (added / total);
  all.m2[i] += m2 + delta * delta * (count * added / total);
  all.count[i] = total;
}

// column(j) points to the values of example j.
template <class Column>
void AbsorbColumns(Index examples, const Column& column, double window, RunningMoments& all) {
  Index done = 0;
  while (done < all.size()) {
    if (all.size() < kLanes) {
      BatchMoments<double> batch;
      Compute(
          examples, [&](Index j) { return column(j) + done; }, batch);
      Merge(batch.count, batch.mean, batch.m2, window, done, all);
      ++done;
      continue;
    }
    // The last group may begin with columns that are done already.
    const Index first = std::min(done, all.size() - kLanes);
    BatchMoments<Lanes> batch;
    Compute(
        examples, [&](Index j) { return column(j) + first; }, batch);
    for (Index i = done - first; i < kLanes; ++i) {
      Merge(batch.count[i], batch.mean[i], batch.m2[i], window, first + i, all);
    }
    done = first + kLanes;
  }
}

}  // namespace

RunningMoments RunningMoments::Empty(Index columns) {
  return {Vector::Zero(columns), Vector::Zero(columns), Vector::Zero(columns)};
}

void RunningMoments::Absorb(ConstMatrixRef x, double window) {
  const auto column = [data = x.data(), stride = x.outerStride()](Index j) {
    return data + j * stride;
  };
  AbsorbColumns(x.cols(), column, window, *this);
}

void RunningMoments::Absorb(ConstMatrixRef x, const std::vector<Index>& kept, double window) {
  const auto column = [data = x.data(), stride = x.outerStride(), &kept](Index j) {
    return data + kept[static_cast<std::size_t>(j)] * stride;
  };
  AbsorbColumns(static_cast<Index>(kept.size()), column, window, *this);
}

double RunningMoments::Scale(Index i) const {
  if (count[i] < 2) return 1;
  const double scale = std::sqrt(m2[i] / (count[i] - 1));
  const double noise = std::max(kRelativeNoise * std::abs(mean[i]), kSmallestScale);
  return scale > noise ? scale : 1;
}

bool RunningMoments::IsValid() const {
  if (mean.size() != size() || m2.size() != size()) return false;
  for (Index i = 0; i < size(); ++i) {
    const bool sound = count[i] >= 0 && count[i] <= kLargestSum && m2[i] >= 0 &&
                       m2[i] <= kLargestSum && std::abs(mean[i]) <= kLargestMean;
    if (!sound) return false;
  }
  return true;
}

}  // namespace prequel
