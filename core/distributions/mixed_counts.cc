#include "core/distributions/mixed_counts.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "core/distributions/count_curve.h"
#include "core/linalg/special.h"

namespace prequel {
namespace {

// CountNodes are places for Σ_{k≥0} g(k) ≈ Σ_j weight_j g(k_j), all weights positive. Counts in a
// row make a piece. Of n of them, with c in their middle, Gauss's rule for sums (after Chebyshev's
// discrete polynomials),
//   c, c ± √((3n² − 7)/20)  with the weights  n − 2w, w,   w = 5n (n² − 1)/(6 (3n² − 7)),
// is exact for polynomials of degree 5. Pieces are short beside a deviation of log(Y + 1) of every
// member that has mass there.
class CountNodes {
 public:
  static constexpr std::size_t kMostPieces = 320, kMost = 3 * kMostPieces;

  // No piece lies on both sides of `border`.
  template <class Member>
  CountNodes(std::span<const Member> members, double border);

  std::size_t size() const { return size_; }
  double count(std::size_t j) const { return counts_[j]; }
  double log_size(std::size_t j) const { return logs_[j]; }  // log(k + 1)
  double weight(std::size_t j) const { return weights_[j]; }

 private:
  static constexpr std::size_t kCells = 128;
  static constexpr double kReach = 7;       // deviations
  static constexpr double kFineness = 0.7;  // of a deviation, and of log(k + 1)

  void Add(double count, double weight) {
    counts_[size_] = count;
    logs_[size_] = std::log1p(count);
    weights_[size_++] = weight;
  }
  void AddPiece(double first, double n);
  // StepFrom returns the distance in log(k + 1) from u to the next piece.
  double StepFrom(double u) const;

  std::size_t size_ = 0;
  std::array<double, kMost> counts_, logs_, weights_;
  double cell_ = 1;                   // width of one, of log(k + 1)
  std::array<double, kCells> steps_;  // in each
};

void CountNodes::AddPiece(double first, double n) {
  constexpr double kMany = 1e6;  // of whose square 7 is nothing
  const double middle = first + 0.5 * (n - 1);
  if (n == 1) return Add(first, 1);
  const double reach = n > kMany ? n * std::sqrt(0.15) : std::sqrt((3 * n * n - 7) / 20);
  const double outer = n > kMany ? n * (5.0 / 18) : 5 * n * (n * n - 1) / (6 * (3 * n * n - 7));
  Add(middle - reach, outer);
  if (n > 2) Add(middle, n - 2 * outer);
  Add(middle + reach, outer);
}

double CountNodes::StepFrom(double u) const {
  double step = kFineness;
  for (auto c = static_cast<std::size_t>(u / cell_); c < kCells; ++c) {
    const double before = static_cast<double>(c) * cell_ - u;
    if (before >= step) break;
    step = std::min(step, std::max(steps_[c], before));
  }
  return step;
}

template <class Member>
CountNodes::CountNodes(std::span<const Member> members, double border) {
  double end = std::log1p(border) + 1;
  for (const Member& member : members) {
    end = std::max(end, std::log1p(std::exp(member.log_rate())) + kReach * LogDeviation(member));
  }
  cell_ = end / kCells;
  steps_.fill(kFineness);
  const double least = end / (0.9 * kMostPieces);
  for (const Member& member : members) {
    const double middle = std::log1p(std::exp(member.log_rate())), deviation = LogDeviation(member);
    const double step = std::max(kFineness * deviation, least);
    const double from = std::max(0.0, middle - kReach * deviation);
    const auto last = static_cast<std::size_t>((middle + kReach * deviation) / cell_);
    for (auto c = static_cast<std::size_t>(from / cell_); c <= std::min(last, kCells - 1); ++c) {
      steps_[c] = std::min(steps_[c], step);
    }
  }
  for (double first = 0; size_ + 3 <= counts_.size();) {
    const double u = std::log1p(first);
    if (u >= end) break;
    double n = std::max(1.0, std::floor((first + 1) * std::expm1(StepFrom(u))));
    if (first < border) n = std::min(n, border - first);
    if (!(first + n > first)) break;  // neighbours as doubles
    AddPiece(first, n);
    first += n;
  }
}

}  // namespace

template <CountKernel K>
double MixedCounts<K>::LogDensity(double y) const {
  double top = -std::numeric_limits<double>::infinity(), sum = 0;
  for (std::size_t k = 0; k < members_.size(); ++k) {
    if (!(weights_.all[k] > 0)) continue;
    const double here = members_[k].LogDensity(y);
    if (!(here > top)) {
      if (std::isfinite(top)) sum += weights_.all[k] * std::exp(here - top);
      continue;
    }
    sum = sum * std::exp(top - here) + weights_.all[k];
    top = here;
  }
  return std::isinf(top) ? top : top + std::log(sum);
}

// Quantile searches by the secant of Φ⁻¹(Cdf) in log(k + 1), where both ends of the bracket are
// known, and by bisection where that has not halved it in three steps. The bracket is Cantelli's
// inequality, μ − σ √((1−p)/p) ≤ quantile ≤ μ + σ √(p/(1−p)), whatever the distribution.
template <CountKernel K>
double MixedCounts<K>::Quantile(double p) const {
  const double mean = MeanBy(weights_.all, members_), wanted = NormalQuantile(p);
  const double deviation = std::sqrt(VarianceBy(weights_.all, members_));
  double low = -1, high = 0;
  if (std::isfinite(deviation)) {
    low = std::max(std::floor(mean - deviation * std::sqrt((1 - p) / p)) - 1, low);
    high = std::ceil(mean + deviation * std::sqrt(p / (1 - p)));
  } else {
    for (const Member& member : members_) high = std::max(high, member.Quantile(p));
  }
  double below = -40, above = 8;  // Φ⁻¹(Cdf) − Φ⁻¹(p) there, as long as that is not known
  bool known_below = false, known_above = false;
  double before = HUGE_VAL;  // three steps ago
  for (int step = 0; high - low > 1; ++step) {
    const double from = std::log(low + 1.5), to = std::log(high + 1.5);
    double share = 0.5;
    if (known_below && known_above) share = below / (below - above);
    if (step % 3 == 2) {
      if (to - from > 0.5 * before) share = 0.5;
      before = to - from;
    }
    double next = std::floor(std::exp(from + share * (to - from)) - 1.5);
    next = std::clamp(next, low + 1, high - 1);
    if (!(next > low && next < high)) break;  // neighbours as doubles
    const double cdf = Cdf(next);
    const double here = NormalQuantile(std::clamp(cdf, 1e-300, 1 - 1e-16)) - wanted;
    if (cdf < p) {
      low = next;
      below = std::min(here, 0.0);
      known_below = true;
    } else {
      high = next;
      above = std::max(here, 0.0);
      known_above = true;
    }
  }
  return high;
}

template <CountKernel K>
double MixedCounts<K>::Crps(double y) const {
  constexpr double kNothing = 1e-9;  // of the mixture's mean
  const CountNodes nodes(members_, y);
  std::array<double, CountNodes::kMost> wrong;  // Cdf below y, and 1 − Cdf from y on
  std::fill_n(wrong.begin(), nodes.size(), 0.0);
  const double mean = MeanBy(weights_.all, members_);
  double share = 0;  // of the members that matter
  for (std::size_t k = 0; k < members_.size(); ++k) {
    const double weight = weights_.all[k];
    if (weight * (members_[k].Mean() + mean) < kNothing * mean) continue;
    share += weight;
    const CountCurve curve(members_[k]);
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      const double probit = curve.Probit(nodes.log_size(j));
      wrong[j] += weight * NormalCdf(nodes.count(j) < y ? probit : -probit);
    }
  }
  double sum = 0;
  for (std::size_t j = 0; j < nodes.size(); ++j) sum += nodes.weight(j) * wrong[j] * wrong[j];
  return sum / (share * share);
}

template class MixedCounts<PoissonKernel>;
template class MixedCounts<NegativeBinomialKernel>;

}  // namespace prequel
