#include "core/likelihoods/poisson.h"

#include <algorithm>
#include <cmath>

#include "core/linalg/special.h"

namespace prequel {

absl::Status Poisson::Configure(Options& options, const TargetConfig& target) {
  options.Describe("counts whose variance is their mean");
  outputs_ = target.width;
  return options.Finish();
}

void Poisson::Expand(const LogitMoments& moments, ConstMatrixRef targets, const NoiseLevel& noise,
                     LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols();
  expansion.score.resize(outputs_, examples);
  expansion.root.setZero(outputs_, outputs_ * examples);
  expansion.log_density = 0;
  for (Index i = 0; i < examples; ++i) {
    for (Index c = 0; c < outputs_; ++c) {
      const double f = moments.mean(c, i), y = targets(c, i);
      const double log_rate = f + 0.5 * VarianceOf(moments, c, i);
      const double bound = Bound(noise, c);
      const double excess = std::max(0.0, log_rate - bound);
      const double root = std::exp(0.5 * (excess > 0 ? bound : log_rate));
      const double rate = root * root;
      expansion.log_density +=
          expansion.weight(i) * (y * f - rate * (1 + excess) - LogGamma(y + 1));
      expansion.score(c, i) = y - rate;
      expansion.root(c, i * outputs_ + c) = root / std::sqrt(1 + excess);
    }
  }
}

PoissonMixture Poisson::Marginal(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                                 Index example) const {
  const auto [mean, variance] = Bounded(moments, noise, output, example);
  return {mean, variance};
}

}  // namespace prequel
