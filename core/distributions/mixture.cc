#include "core/distributions/mixture.h"

namespace prequel {

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
  double disagreement = 0;  // Σ over the nodes of mean F² − (mean F)²
  for (double node = 0; node <= nodes; ++node) {
    const double x = low + node * step;
    double mean = 0, square = 0;
    for (std::size_t k = 0; k < members_.size(); ++k) {
      const double cdf = members_[k].Cdf(x);
      mean += weights_[k] * cdf;
      square += weights_[k] * cdf * cdf;
    }
    disagreement += square - mean * mean;
  }
  return Average([y](const StudentT& d) { return d.Crps(y); }) - step * disagreement;
}

}  // namespace prequel
