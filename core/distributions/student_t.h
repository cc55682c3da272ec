// location + scale · T with T Student-t on dof degrees of freedom; dof = +∞ is the normal.
//   p(y) = Γ((ν+1)/2) / (Γ(ν/2) √(νπ) s) · (1 + z²/ν)^{−(ν+1)/2},  z = (y − location)/s
#pragma once

#include <limits>

namespace prequel {

struct StudentT {
  static constexpr bool kDiscrete = false;

  double location = 0;
  double scale = 1;  // positive
  double dof = std::numeric_limits<double>::infinity();
  double epistemic_share = 0;  // of scale², from not knowing the weights; in [0, 1]

  double LogDensity(double y) const;
  double Cdf(double y) const;
  double Quantile(double p) const;  // 0 < p < 1
  // E|Y − y| − ½ E|Y − Y'|; +∞ unless dof > 1.
  double Crps(double y) const;
  double AbsoluteError(double y) const;  // E|Y − y|; +∞ unless dof > 1

  double Mean() const { return location; }  // the median when dof ≤ 1
  double Variance() const;                  // +∞ unless dof > 2
  double EpistemicVariance() const;         // the two add up to Variance
  double AleatoricVariance() const;

  // The distribution of offset + factor · Y; factor > 0.
  StudentT Affine(double offset, double factor) const {
    return {offset + factor * location, factor * scale, dof, epistemic_share};
  }
};

}  // namespace prequel
