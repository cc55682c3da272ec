// A count whose log rate is normal: Y | f of one of the families of counts, f ~ N(μ, v).
//
// A fixed Gauss–Hermite mixture over f is a comb of separate peaks as soon as its nodes lie further
// apart than the count's own relative width (Poisson, λ = 100: v = ¼ is enough). So:
//   P(Y = y) = ∫ p(y | f) N(f; μ, v) df, on a grid laid around the integrand's own peak
//   P(Y ≤ y) = E P(Y ≤ y | f)     by 20-node Gauss–Hermite where v is the narrower scale, and
//            = E Φ((T − μ)/√v)    where it is not, with T the f at which a uniform variable equals
//                                 P(Y ≤ y | f)
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <limits>
#include <numbers>

#include "core/linalg/quadrature.h"
#include "core/linalg/special.h"
#include "core/linalg/types.h"

namespace prequel {

inline constexpr int kCountPoints = 96;  // of a grid
using CountPoints = Eigen::Array<double, kCountPoints, 1>;

// CountKernel is a family of counts, the distribution of Y | f with rate λ = e^f = E[Y | f]. Plain
// data.
template <class K>
concept CountKernel = std::copyable<K> &&
    requires(const K& k, double y, double f, const CountPoints& points, double* shift) {
  // log p(y | f) = Exponent(y, f) + LogConstant(y), log-concave in f; and T has a density that is
  // proportional to e^Exponent(y + 1, t).
  { k.Exponent(y, f) } -> std::same_as<double>;
  { k.Exponents(y, points) } -> std::same_as<CountPoints>;
  { k.LogConstant(y) } -> std::same_as<double>;
  // The root in f of d/df [Exponent(y, f) − ½ precision (f − center)²], and minus the second
  // derivative of the exponent there.
  { k.Peak(y, f, f) } -> std::same_as<double>;
  { k.Curvature(y, f) } -> std::same_as<double>;
  { k.Cdf(y, f) } -> std::same_as<double>;         // P(Y ≤ y | f), y ≥ 0
  { k.WidthOfT(y) } -> std::same_as<double>;       // about Var T, of T at y
  { k.ExcessVariance() } -> std::same_as<double>;  // Var(Y | f) = λ + that · λ²
  // E[Y; Y ≤ y | f] = λ P'(Y ≤ y − 1 | f + *shift), P' of the kernel that is returned.
  { k.Weighted(shift) } -> std::same_as<K>;
  // ½ E|Y − Y'| of two with that f; negative where there is no closed form.
  { k.ClosedSpread(f) } -> std::same_as<double>;
  // Whether there is a series for P(Y ≤ a − 1), f ~ N(μ, v) and a large and not only whole: then
  // SmoothCdf(a, μ, v), to about 1e-4; else Cdf and Exponent are asked for such a.
  { K::kHasSeries } -> std::convertible_to<bool>;
};

template <CountKernel K>
class CountMixture {
 public:
  static constexpr bool kDiscrete = true;

  CountMixture() = default;
  // μ and v ≥ 0 of the log rate. REQUIRES: μ + v/2 at most a few hundred. Below 1e-14 a variance is
  // lost in the rounding of f.
  CountMixture(double mean, double variance, const K& kernel = {})
      : kernel_(kernel), mean_(mean), variance_(variance < 1e-14 ? 0 : variance) {}

  double LogDensity(double y) const;  // log mass; −∞ unless y is a count
  double Cdf(double y) const { return y < 0 ? 0 : CdfAt(std::floor(y)); }
  double Quantile(double p) const;
  // Σ_k (P(Y ≤ k) − 1{y ≤ k})² = E|Y − y| − ½ E|Y − Y'|, the second term to about 1e-4 relative.
  double Crps(double y) const;

  double Mean() const { return std::exp(mean_ + variance_ / 2); }  // E λ
  double Variance() const { return EpistemicVariance() + AleatoricVariance(); }
  // Var λ = (E λ)² (e^v − 1)
  double EpistemicVariance() const { return Mean() * Mean() * std::expm1(variance_); }
  // E λ + excess · E λ²
  double AleatoricVariance() const {
    const double excess = kernel_.ExcessVariance();
    return excess == 0 ? Mean() : Mean() + excess * Mean() * Mean() * std::exp(variance_);
  }
  const K& kernel() const { return kernel_; }
  double log_rate() const { return mean_; }               // μ
  double log_rate_variance() const { return variance_; }  // v

 private:
  static constexpr double kDrop = 36;  // nats below its peak where an integrand counts as 0

  // An equidistant grid over where e^h, h(f) = Exponent(y, f) − ½ precision (f − center)², is not
  // negligible, and e^{h − peak} on it. The trapezoidal rule on it converges exponentially, as the
  // integrand is analytic and vanishes at both ends.
  struct Grid {
    double peak, step;
    CountPoints points, values;

    Grid(const K& kernel, double y, double precision, double center) {
      const auto h = [&](double f) {
        return kernel.Exponent(y, f) - 0.5 * precision * (f - center) * (f - center);
      };
      const double top = kernel.Peak(y, precision, center);
      peak = h(top);
      const double width = 1 / std::sqrt(kernel.Curvature(y, top) + precision);
      double left = std::sqrt(2 * kDrop) * width, right = left;
      while (h(top - left) > peak - kDrop) left *= 1.25;
      while (h(top + right) > peak - kDrop) right *= 1.25;
      while (h(top + 0.8 * right) < peak - kDrop) right *= 0.8;
      step = (left + right) / (kCountPoints - 1);
      points.setLinSpaced(top - left, top + right);
      values =
          (kernel.Exponents(y, points) - 0.5 * precision * (points - center).square() - peak).exp();
    }
  };

  static bool IsCount(double y) { return y >= 0 && y == std::floor(y) && std::isfinite(y); }

  double CdfAt(double k) const;  // k ≥ 0
  double SmoothCdf(double a) const {
    if constexpr (K::kHasSeries) return kernel_.SmoothCdf(a, mean_, variance_);
    return CdfAt(a - 1);
  }
  double Spread() const;  // ½ E|Y − Y'| = Σ_k P(Y ≤ k) P(Y > k)

  K kernel_;
  double mean_ = 0, variance_ = 0;
};

template <CountKernel K>
double CountMixture<K>::LogDensity(double y) const {
  if (!IsCount(y)) return -std::numeric_limits<double>::infinity();
  if (variance_ == 0) return kernel_.Exponent(y, mean_) + kernel_.LogConstant(y);
  const Grid grid(kernel_, y, 1 / variance_, mean_);
  return grid.peak + std::log(grid.step * grid.values.sum()) + kernel_.LogConstant(y) -
         0.5 * std::log(2 * std::numbers::pi * variance_);
}

template <CountKernel K>
double CountMixture<K>::CdfAt(double k) const {
  if (variance_ == 0) return kernel_.Cdf(k, mean_);
  const double deviation = std::sqrt(variance_);
  if (variance_ < 0.3 * kernel_.WidthOfT(k)) {
    const auto& [nodes, weights] = NormalQuadrature();
    double sum = 0;
    for (Index j = 0; j < kQuadratureNodes; ++j) {
      sum += weights[j] * kernel_.Cdf(k, mean_ + deviation * nodes[j]);
    }
    return std::min(sum, 1.0);  // the weights sum to 1 up to rounding
  }
  const Grid grid(kernel_, k + 1, 0, 0);
  double sum = 0;
  for (Index j = 0; j < kCountPoints; ++j) {
    sum += grid.values[j] * NormalCdf((grid.points[j] - mean_) / deviation);
  }
  return std::min(sum / grid.values.sum(), 1.0);
}

template <CountKernel K>
double CountMixture<K>::Quantile(double p) const {
  const double median = std::exp(mean_);
  const double relative =
      std::sqrt(variance_ + kernel_.ExcessVariance() + 1 / std::max(median, 1.0));
  double high = std::floor(median * std::exp(relative * NormalQuantile(p)));
  double low = -1;  // P(Y ≤ low) < p ≤ P(Y ≤ high), once bracketed
  double stride = std::max(1.0, std::floor(0.1 * relative * high));
  while (CdfAt(high) < p) {
    low = high;
    high += stride;
    stride *= 2;
  }
  for (double next = high - stride; low < 0 && next >= 0; next = high - stride) {
    if (CdfAt(next) < p) {
      low = next;
      break;
    }
    high = next;
    stride *= 2;
  }
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    if (!(middle > low && middle < high)) break;  // neighbours as doubles
    (CdfAt(middle) < p ? low : high) = middle;
  }
  return high;
}

// E|Y − y| = E Y − y + 2 E(y − Y)⁺, and with λ as a factor tilting f to N(μ + v, v),
// E(y − Y)⁺ = y P(Y ≤ y) − E[λ P'(Y ≤ y − 1 | λ)] = y F(y) − E Y · F̃(y − 1).
template <CountKernel K>
double CountMixture<K>::Crps(double y) const {
  double error = Mean() - y;
  if (y >= 0) {
    const double k = std::floor(y);
    double shift = 0;
    const K weighted = kernel_.Weighted(&shift);
    const CountMixture tilted(mean_ + variance_ + shift, variance_, weighted);
    error += 2 * (y * CdfAt(k) - Mean() * tilted.Cdf(k - 1));
  }
  return error - Spread();
}

// Σ_k F(k) (1 − F(k)): the first terms one by one from the masses, and the rest, which vary slowly,
// as the integral over k, taken in u = log(k + 1) by Simpson's rule.
template <CountKernel K>
double CountMixture<K>::Spread() const {
  if (variance_ == 0) {
    if (const double closed = kernel_.ClosedSpread(mean_); closed >= 0) return closed;
  }
  constexpr int kTerms = 20, kIntervals = 64;
  const double deviation = std::sqrt(variance_ + kernel_.ExcessVariance());
  const double lowest = std::exp(mean_ - 6 * deviation);
  double highest = std::exp(mean_ + (6 + deviation) * deviation);
  if constexpr (!K::kHasSeries) {
    // A heavy tail ends sooner; beyond, 1 − F would be the rounding of F.
    constexpr double kNothing = 1e-11;
    while (highest > 2 * kTerms && CdfAt(0.5 * highest) > 1 - kNothing) highest *= 0.5;
  }
  const double begin = std::max(0.0, std::floor(lowest - 6 * std::sqrt(lowest)));
  const double end = std::ceil(highest + 6 * std::sqrt(highest) + 10);
  double sum = 0;
  if (begin < kTerms) {
    double cdf = 0;
    for (int k = 0; k < kTerms; ++k) {
      cdf += std::exp(LogDensity(k));
      sum += cdf * (1 - cdf);
    }
  }
  const double from = std::log(std::max<double>(begin, kTerms) + 0.5), to = std::log(end);
  if (to <= from) return sum;
  const double step = (to - from) / kIntervals;
  double integral = 0;
  for (int j = 0; j <= kIntervals; ++j) {
    const double size = std::exp(from + j * step);
    const double cdf = SmoothCdf(size);
    const double weight = j == 0 || j == kIntervals ? 1 : 2 + 2 * (j % 2);
    integral += weight * size * cdf * (1 - cdf);
  }
  return sum + integral * step / 3;
}

}  // namespace prequel
