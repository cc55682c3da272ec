#include "core/distributions/mixture.h"

namespace prequel {
namespace {

// The least and the greatest of the members' p-quantiles.
template <class D>
std::pair<double, double> QuantileRange(const std::vector<D>& members, double p) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const D& member : members) {
    const double quantile = member.Quantile(p);
    low = std::min(low, quantile);
    high = std::max(high, quantile);
  }
  return {low, high};
}

// ∫ g over [a, b] for monotone g by adaptive Simpson. Two estimates may agree by missing a step of
// g altogether, so intervals also shrink until they cannot hide more than `hidden`, which is at
// least the true error of either estimate: (b − a)|g(b) − g(a)|.
template <class G>
class MonotoneIntegral {
 public:
  MonotoneIntegral(const G& g, double tolerance, double hidden)
      : g_(g), tolerance_(tolerance), hidden_(hidden) {}

  double operator()(double a, double b) const {
    if (!(b > a)) return 0;
    return Refine({a, g_(a)}, {0.5 * (a + b), g_(0.5 * (a + b))}, {b, g_(b)}, tolerance_, 40);
  }

 private:
  struct Point {
    double x, g;
  };

  static double Simpson(const Point& a, const Point& m, const Point& b) {
    return (b.x - a.x) * (a.g + 4 * m.g + b.g) / 6;
  }

  double Refine(const Point& a, const Point& m, const Point& b, double tolerance, int depth) const {
    const Point left{0.5 * (a.x + m.x), g_(0.5 * (a.x + m.x))};
    const Point right{0.5 * (m.x + b.x), g_(0.5 * (m.x + b.x))};
    const double whole = Simpson(a, m, b);
    const double halves = Simpson(a, left, m) + Simpson(m, right, b);
    const bool agree =
        std::abs(halves - whole) <= 15 * tolerance && (b.x - a.x) * std::abs(b.g - a.g) <= hidden_;
    if (agree || depth == 0) return halves + (halves - whole) / 15;
    return Refine(a, left, m, tolerance / 2, depth - 1) +
           Refine(m, right, b, tolerance / 2, depth - 1);
  }

  const G& g_;
  const double tolerance_, hidden_;
};

// Levels beyond which Cdf² and (1 − Cdf)² contribute nothing visible.
constexpr double kTail = 1e-6;

}  // namespace

template <>
double Mixture<StudentT>::Quantile(double p) const {
  auto [low, high] = QuantileRange(members_, p);
  for (int i = 0; i < 200; ++i) {
    const double middle = 0.5 * (low + high);
    if (!(middle > low && middle < high)) break;
    (Cdf(middle) < p ? low : high) = middle;
  }
  return high;
}

template <>
double Mixture<StudentT>::Crps(double y) const {
  const double low = std::min(y, QuantileRange(members_, kTail).first);
  const double high = std::max(y, QuantileRange(members_, 1 - kTail).second);
  const double width = Average([](const StudentT& d) { return d.scale; });
  const auto lower = [this](double x) { return Cdf(x) * Cdf(x); };
  const auto upper = [this](double x) { return (1 - Cdf(x)) * (1 - Cdf(x)); };
  const double below = MonotoneIntegral(lower, 1e-7 * width, 0.02 * width)(low, y);
  const double above = MonotoneIntegral(upper, 1e-7 * width, 0.02 * width)(y, high);
  return below + above;
}

template <>
double Mixture<PoissonMixture>::Quantile(double p) const {
  auto [low, high] = QuantileRange(members_, p);
  low -= 1;
  while (high - low > 1) {
    const double middle = std::floor(0.5 * (low + high));
    if (!(middle > low && middle < high)) break;
    (Cdf(middle) < p ? low : high) = middle;
  }
  return high;
}

// Σ_k (Cdf(k) − 1{k ≥ y})² = E|Y − y| − ½ E|Y − Y'| = mean of the members' CRPS plus half the
// excess of the mixture's spread, summed as Σ_k mean (F_j(k) − Cdf(k))² over the counts.
template <>
double Mixture<PoissonMixture>::Crps(double y) const {
  const double low = QuantileRange(members_, kTail).first;
  const double high = QuantileRange(members_, 1 - kTail).second;
  constexpr double kMaxTerms = 256;
  const double stride = std::max(1.0, std::floor((high - low) / kMaxTerms));
  double disagreement = 0;
  for (double k = low; k <= high; k += stride) {
    const double cdf = Cdf(k);
    disagreement += stride * Average([&](const PoissonMixture& d) {
                      return (d.Cdf(k) - cdf) * (d.Cdf(k) - cdf);
                    });
  }
  return Average([y](const PoissonMixture& d) { return d.Crps(y); }) - disagreement;
}

}  // namespace prequel
