#include "core/distributions/poisson_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/linalg/quadrature.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

constexpr int kPoints = 96;   // of a grid
constexpr double kDrop = 36;  // nats below its peak where an integrand counts as 0

using Points = Eigen::Array<double, kPoints, 1>;

// e^{h(f)} with h(f) = count · f − e^f − ½ precision (f − center)², which is log-concave.
struct Integrand {
  double count, precision, center;

  double operator()(double f) const {
    return count * f - std::exp(f) - 0.5 * precision * (f - center) * (f - center);
  }
  // The root of h', which is concave and decreasing: from the right of it Newton's method is
  // monotone. The root lies between log(count) and center.
  double Peak() const {
    double f = count > 0 ? std::log(count) : center;
    if (precision == 0) return f;
    f = std::max(f, center);
    for (int i = 0; i < 500; ++i) {
      const double rate = std::exp(f);
      const double step = (count - rate - precision * (f - center)) / (rate + precision);
      f += step;
      if (std::abs(step) <= 1e-9 * (1 + std::abs(f))) break;
    }
    return f;
  }
  double Width(double f) const { return 1 / std::sqrt(std::exp(f) + precision); }
};

// An equidistant grid over where e^h is not negligible, and e^{h − peak} on it. The trapezoidal
// rule on it converges exponentially, as the integrand is analytic and vanishes at both ends.
struct Grid {
  double peak, step;
  Points points, values;

  explicit Grid(const Integrand& h) {
    const double top = h.Peak();
    peak = h(top);
    double left = std::sqrt(2 * kDrop) * h.Width(top), right = left;
    while (h(top - left) > peak - kDrop) left *= 1.25;
    while (h(top + 0.8 * right) < peak - kDrop) right *= 0.8;
    step = (left + right) / (kPoints - 1);
    points.setLinSpaced(top - left, top + right);
    values =
        (h.count * points - points.exp() - 0.5 * h.precision * (points - h.center).square() - peak)
            .exp();
  }
};

// P(Y ≤ a − 1) = P(T > f) for T the log of a Gamma(a) variable, by Edgeworth's series in the
// cumulants of T − f, those of T being polygamma functions of a; error O(a^{−3/2}).
double EdgeworthCdf(double a, double mean, double variance) {
  const double t = 1 / a;
  const double first = std::log(a) - t * (0.5 + t / 12) - mean;
  const double second = t * (1 + t * (0.5 + t / 6)) + variance;
  const double third = -t * t * (1 + t * (1 + t / 2));
  const double fourth = t * t * t * (2 + 3 * t);
  const double x = -first / std::sqrt(second), x2 = x * x;
  const double skewness = third / (second * std::sqrt(second));
  const double kurtosis = fourth / (second * second);
  const double correction = skewness / 6 * (x2 - 1) + kurtosis / 24 * x * (x2 - 3) +
                            skewness * skewness / 72 * x * (x2 * (x2 - 10) + 15);
  const double density = std::exp(-0.5 * x2) / std::sqrt(2 * std::numbers::pi);
  return NormalCdf(-x) + density * correction;
}

bool IsCount(double y) { return y >= 0 && y == std::floor(y) && std::isfinite(y); }

}  // namespace

// Below 1e-14 a variance is lost in the rounding of f.
PoissonMixture::PoissonMixture(double mean, double variance)
    : mean_(mean), variance_(variance < 1e-14 ? 0 : variance) {}

double PoissonMixture::Mean() const { return std::exp(mean_ + variance_ / 2); }

double PoissonMixture::EpistemicVariance() const { return Mean() * Mean() * std::expm1(variance_); }

double PoissonMixture::LogDensity(double y) const {
  if (!IsCount(y)) return -std::numeric_limits<double>::infinity();
  if (variance_ == 0) return y * mean_ - std::exp(mean_) - LogGamma(y + 1);
  const Grid grid({y, 1 / variance_, mean_});
  return grid.peak + std::log(grid.step * grid.values.sum()) - LogGamma(y + 1) -
         0.5 * std::log(2 * std::numbers::pi * variance_);
}

double PoissonMixture::Cdf(double y) const { return y < 0 ? 0 : CdfAt(std::floor(y)); }

double PoissonMixture::CdfAt(double k) const {
  if (variance_ == 0) return UpperIncompleteGamma(k + 1, std::exp(mean_));
  const double deviation = std::sqrt(variance_);
  if (variance_ * (k + 1) < 0.3) {
    const auto& [nodes, weights] = NormalQuadrature();
    double sum = 0;
    for (Index j = 0; j < kQuadratureNodes; ++j) {
      sum += weights[j] * UpperIncompleteGamma(k + 1, std::exp(mean_ + deviation * nodes[j]));
    }
    return sum;
  }
  const Grid grid({k + 1, 0, 0});
  double sum = 0;
  for (Index j = 0; j < kPoints; ++j) {
    sum += grid.values[j] * NormalCdf((grid.points[j] - mean_) / deviation);
  }
  return sum / grid.values.sum();
}

double PoissonMixture::Quantile(double p) const {
  const double median = std::exp(mean_);
  const double relative = std::sqrt(variance_ + 1 / std::max(median, 1.0));
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
// E(y − Y)⁺ = y P(Y ≤ y) − E[λ P(Y ≤ y − 1 | λ)] = y F(y) − E Y · F̃(y − 1).
double PoissonMixture::Crps(double y) const {
  double error = Mean() - y;
  if (y >= 0) {
    const double k = std::floor(y);
    const PoissonMixture tilted(mean_ + variance_, variance_);
    error += 2 * (y * CdfAt(k) - Mean() * tilted.Cdf(k - 1));
  }
  return error - Spread();
}

// Σ_k F(k) (1 − F(k)): closed without variance, λ e^{−2λ} (I₀(2λ) + I₁(2λ)). Otherwise the first
// terms one by one from the masses, and the rest, which vary slowly, as the integral over k, taken
// in u = log(k + 1) by Simpson's rule with F from its expansion.
double PoissonMixture::Spread() const {
  if (variance_ == 0) return Mean() * ScaledBesselSum(2 * Mean());
  constexpr int kTerms = 20, kIntervals = 64;
  const double deviation = std::sqrt(variance_);
  const double lowest = std::exp(mean_ - 6 * deviation);
  const double highest = std::exp(mean_ + (6 + deviation) * deviation);
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
    const double cdf = EdgeworthCdf(size, mean_, variance_);
    const double weight = j == 0 || j == kIntervals ? 1 : 2 + 2 * (j % 2);
    integral += weight * size * cdf * (1 - cdf);
  }
  return sum + integral * step / 3;
}

}  // namespace prequel
