// P(Y ≤ x) of a count as a curve, for those who ask for many x: a few values, and what lies between
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/distributions/count_mixture.h"
#include "core/linalg/special.h"

namespace prequel {

// Φ⁻¹(P(Y ≤ x)) is smooth in u = log(x + 1), and nearly a line where log Y is nearly normal. So it
// is interpolated there by polynomials of degree 5 through evenly spaced values, to about 1e-5 in
// P(Y ≤ x). The outermost values are those of tails below 3e-5; beyond them it goes on as a line.
class CountCurve {
 public:
  template <CountKernel K>
  explicit CountCurve(const CountMixture<K>& of);

  // Φ⁻¹(P(Y ≤ e^u − 1)), u ≥ 0.
  double Probit(double u) const {
    const double t = (u - first_) / step_;
    if (t >= 0 && t <= size_ - 1) return Between(t);
    return Line(t < 0 ? 0 : size_ - 2, t);
  }

 private:
  static constexpr std::size_t kMost = 96;
  static constexpr int kDegree = 5;
  static constexpr double kTail = -4.0;      // Φ⁻¹(3e-5)
  static constexpr double kFineness = 0.7;   // of a deviation of log Y, between values,
  static constexpr double kCoarsest = 0.4;   // and of u: beside counts of 0, 1, 2, …
  static constexpr double kBeyondZero = -2;  // steps, so that 0 does not lie at an end

  double At(int i) const { return values_[static_cast<std::size_t>(i)]; }
  // Through values i and i + 1.
  double Line(int i, double t) const { return At(i) + (t - i) * (At(i + 1) - At(i)); }
  double Between(double t) const;

  double first_, step_;  // of u
  int size_ = 0;
  std::array<double, kMost> values_;
};

template <CountKernel K>
CountCurve::CountCurve(const CountMixture<K>& of)
    : step_(std::min(kFineness * of.LogDeviation(), kCoarsest)) {
  const auto value = [&](double u) {
    return NormalQuantile(std::clamp(of.CdfBetween(std::expm1(u)), 1e-300, 1 - 1e-16));
  };
  const double middle = std::log1p(of.Median());
  std::array<double, kMost / 2> below;
  std::size_t num_below = 0;
  double u = middle, z = value(u);
  const double at_middle = z;
  while (num_below < below.size() && u > kBeyondZero * step_ && z > kTail) {
    u -= step_;
    below[num_below++] = z = value(u);
  }
  first_ = u;
  std::size_t size = 0;
  while (size < num_below) {
    values_[size] = below[num_below - 1 - size];
    ++size;
  }
  values_[size++] = at_middle;
  u = middle;
  do {
    u += step_;
    values_[size++] = z = value(u);
  } while (size < kMost && z < -kTail);
  size_ = static_cast<int>(size);
}

// Newton's form through the values around t.
inline double CountCurve::Between(double t) const {
  const int points = std::min(size_, kDegree + 1);
  const int begin = std::clamp(static_cast<int>(t) - kDegree / 2, 0, size_ - points);
  std::array<double, kDegree + 1> differences;
  std::copy_n(values_.begin() + begin, points, differences.begin());
  double sum = differences[0], factor = 1;
  for (int order = 1; order < points; ++order) {
    for (std::size_t i = 0; i + static_cast<std::size_t>(order) < static_cast<std::size_t>(points);
         ++i) {
      differences[i] = differences[i + 1] - differences[i];
    }
    factor *= (t - begin - (order - 1)) / order;
    sum += factor * differences[0];
  }
  return sum;
}

}  // namespace prequel
