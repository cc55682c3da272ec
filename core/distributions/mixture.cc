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

// E|Y − y| − ½ E|Y − Y'| = mean of the members' CRPS − ∫ mean (F_j(x) − Cdf(x))² dx. The integrand
// is as smooth as the narrowest member and vanishes on both sides, so that the trapezoidal rule
// with step h errs by e^{−(2πs/h)²/4} for normals of scale s and e^{−2π√ν s/h} for Student-t.
template <>
double Mixture<StudentT>::Crps(double y) const {
  constexpr double kStep = 0.75;         // of the smallest scale
  constexpr double kSpreadTail = 1e-4;   // whose square is what is left out
  constexpr double kMaxNodes = 1 << 14;  // members of very different scales share a coarser grid
  StudentT heaviest;
  for (const StudentT& member : members_) heaviest.dof = std::min(heaviest.dof, member.dof);
  const double reach = -heaviest.Quantile(kSpreadTail);
  double low = std::numeric_limits<double>::infinity(), high = -low, narrowest = low;
  for (const StudentT& member : members_) {
    low = std::min(low, member.location - reach * member.scale);
    high = std::max(high, member.location + reach * member.scale);
    narrowest = std::min(narrowest, member.scale);
  }
  const double nodes = std::min(std::ceil((high - low) / (kStep * narrowest)), kMaxNodes);
  const double step = (high - low) / nodes;
  std::vector<double> cdfs(members_.size());
  double disagreement = 0;
  for (double node = 0; node <= nodes; ++node) {
    const double x = low + node * step;
    double sum = 0, squares = 0;
    std::size_t j = 0;
    for (const StudentT& member : members_) sum += cdfs[j++] = member.Cdf(x);
    const double mean = sum / static_cast<double>(members_.size());
    for (const double cdf : cdfs) squares += (cdf - mean) * (cdf - mean);
    disagreement += squares;
  }
  disagreement *= step / static_cast<double>(members_.size());
  return Average([y](const StudentT& d) { return d.Crps(y); }) - disagreement;
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
