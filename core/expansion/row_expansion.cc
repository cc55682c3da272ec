#include "core/expansion/row_expansion.h"

#include <variant>

namespace prequel {

void RowExpansion::Bind(const Likelihood& likelihood, const NoiseLevel& noise) {
  likelihood_ = &likelihood;
  noise_ = &noise;
  moments_.mean.resize(1, 1);
  targets_.resize(1, 1);
}

bool RowExpansion::has_site() const {
  return std::visit([]<class L>(const L&) { return HasSites<L>; }, *likelihood_);
}

// Site uses that one example is worth the observation m + a (1/w + v) of f, of precision w.
RowSite RowExpansion::Site(double mean, double variance) const {
  RowSite site = std::visit(
      [&]<class L>(const L& likelihood) {
        if constexpr (HasSites<L>) return SiteOf(likelihood, mean, variance, target_, *noise_);
        return RowSite();
      },
      *likelihood_);
  if (weight_ == 1) return site;
  const double spread = 1 + site.curvature * variance;
  site.log_evidence *= weight_;
  site.curvature *= weight_;
  site.gradient *= weight_ * spread / (1 + site.curvature * variance);
  return site;
}

double RowExpansion::Expect(Expectation expectation, double mean, double variance) {
  const bool at_mean = expectation == Expectation::kAtMean;
  std::visit(
      [&]<class L>(const L& likelihood) {
        if constexpr (ExpandsRows<L>) {
          row_ = ExpandRow(likelihood, mean, at_mean ? 0 : variance, target_, *noise_);
        } else {
          moments_.mean(0, 0) = mean;
          moments_.covariance.resize(1, at_mean ? 0 : 1);
          if (!at_mean) moments_.covariance(0, 0) = variance;
          targets_(0, 0) = target_;
          likelihood.Expand(moments_, targets_, *noise_, local_);
          row_ = {local_.log_density, local_.score(0, 0), local_.root.squaredNorm()};
        }
      },
      *likelihood_);
  if (weight_ == 1) return row_.log_density;
  if (weight_ > 0) {
    row_ = {weight_ * row_.log_density, weight_ * row_.score, weight_ * row_.curvature};
  } else {
    row_ = {};
  }
  return row_.log_density;
}

}  // namespace prequel
