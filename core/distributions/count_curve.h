// P(Y ≤ x) of a count as a curve, for those who ask for many x: a few values, and what lies between
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "core/distributions/count_mixture.h"
#include "core/linalg/quadrature.h"
#include "core/linalg/special.h"
#include "core/linalg/types.h"

namespace prequel {

// LogDeviation is about the deviation of log Y, near its most likely rate.
template <CountKernel K>
double LogDeviation(const CountMixture<K>& of) {
  const double median = std::exp(of.log_rate());
  return std::sqrt(of.log_rate_variance() + of.kernel().ExcessVariance() + 1 / (median + 1));
}

// CdfBetween returns P(Y ≤ x) as a function of any x > −1, analytic, at less cost than of.Cdf: to
// about 1e-6, and 3e-5 where v is 10. It is E Φ((T − μ)/√v), as there, or 1 − E Φ((μ − T)/√v).
// Where the dispersion is large the density of T has a long tail, and Φ cuts off one side of it in
// the one form and the other side in the other: the form that leaves less to integrate is used.
template <CountKernel K>
double CdfBetween(const CountMixture<K>& of, double x) {
  constexpr int kPoints = 40, kNodes = 8;
  constexpr double kFar = 17, kSure = 5.3;  // nats, and deviations: 4e-8 and 6e-8
  const K& kernel = of.kernel();
  const double mean = of.log_rate(), variance = of.log_rate_variance();
  if (variance == 0) return kernel.Cdf(x, mean);
  const double deviation = std::sqrt(variance);
  if (variance < 0.1 * kernel.WidthOfT(x)) {
    static const GaussHermite<Eigen::Dynamic> rule = MakeGaussHermite(kNodes);
    double sum = 0;
    for (Index j = 0; j < kNodes; ++j) {
      sum += rule.weights[j] * kernel.Cdf(x, mean + deviation * rule.nodes[j]);
    }
    return sum;
  }
  const double size = x + 1, top = std::log(size), peak = kernel.Exponent(size, top);
  if constexpr (K::kHasSeries) {
    if (size > 1e4) return kernel.SmoothCdf(size, mean, variance);
  }
  double left = std::sqrt(2 * kFar / kernel.Curvature(size, top)), right = left;
  while (kernel.Exponent(size, top - left) > peak - kFar) left *= 1.2;
  while (kernel.Exponent(size, top + right) > peak - kFar) right *= 1.2;
  const double begin = std::max(top - left, mean - kSure * deviation);
  const double end = std::min(top + right, mean + kSure * deviation);
  const bool below = end - (top - left) > top + right - begin;  // Φ cuts the lower side
  const double from = below ? begin : top - left, to = below ? top + right : end;
  if (!(to > from)) return below ? 0 : 1;
  using Points = Eigen::Array<double, kPoints, 1>;
  const Points points = Points::LinSpaced(from, to);
  Points values = (kernel.Exponents(size, points) + (kernel.LogConstant(size) + top)).exp();
  const double sign = below ? 1 : -1;
  for (Index j = 0; j < kPoints; ++j) {
    values[j] *= NormalCdf(sign * (points[j] - mean) / deviation);
  }
  const double sum = values.sum() * (to - from) / (kPoints - 1);
  return below ? sum : 1 - sum;
}

// CountCurve interpolates Φ⁻¹(P(Y ≤ x)), which is smooth in u = log(x + 1) and nearly a line where
// log Y is nearly normal, by polynomials of degree 5 through evenly spaced values, to about 1e-5 in
// P(Y ≤ x). The outermost values are those of tails below 3e-5; beyond them the curve goes on as a
// line.
class CountCurve {
 public:
  template <CountKernel K>
  explicit CountCurve(const CountMixture<K>& of);

  // Probit returns Φ⁻¹(P(Y ≤ e^u − 1)), u ≥ 0.
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
  // Line goes through values i and i + 1.
  double Line(int i, double t) const { return At(i) + (t - i) * (At(i + 1) - At(i)); }
  double Between(double t) const;

  double first_, step_;  // of u
  int size_ = 0;
  std::array<double, kMost> values_;
};

template <CountKernel K>
CountCurve::CountCurve(const CountMixture<K>& of)
    : step_(std::min(kFineness * LogDeviation(of), kCoarsest)) {
  const auto value = [&](double u) {
    return NormalQuantile(std::clamp(CdfBetween(of, std::expm1(u)), 1e-300, 1 - 1e-16));
  };
  const double middle = std::log1p(std::exp(of.log_rate()));
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

// Between evaluates Newton's form of the polynomial through the values around t.
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
