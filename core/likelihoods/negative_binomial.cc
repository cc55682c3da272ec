#include "core/likelihoods/negative_binomial.h"

#include <algorithm>
#include <cmath>

#include "core/distributions/sigmoid_normal.h"

namespace prequel {

absl::Status NegativeBinomial::Configure(Options& options, const TargetConfig& target) {
  outputs_ = target.width;
  double dispersion = 1;
  options.Real("dispersion", &dispersion, 1 / NegativeBinomialKernel::kMostShape,
               1 / NegativeBinomialKernel::kLeastShape);
  if (absl::Status status = options.Finish(); !status.ok()) return status;
  shape_ = 1 / dispersion;
  kernel_ = NegativeBinomialKernel(shape_);
  return absl::OkStatus();
}

// Logits in the order of example and output, eight at a time.
void NegativeBinomial::Expand(const LogitMoments& moments, ConstMatrixRef targets,
                              const NoiseLevel&, LocalExpansion& expansion) const {
  const Index examples = moments.mean.cols(), count = outputs_ * examples;
  const double log_shape = std::log(shape_);
  expansion.score.resize(outputs_, examples);
  expansion.root.setZero(outputs_, count);
  expansion.log_density = 0;
  SigmoidExpectations e;
  for (Index start = 0; start < count; start += kLanes) {
    const Index lanes = std::min(kLanes, count - start);
    Lane z = Lane::Zero(), deviation = Lane::Zero();
    for (Index j = 0; j < lanes; ++j) {
      const Index c = (start + j) % outputs_, i = (start + j) / outputs_;
      z[j] = moments.mean(c, i) - log_shape;
      deviation[j] = std::sqrt(std::max(VarianceOf(moments, c, i), 0.0));
    }
    ExpectSigmoid(z, deviation, {.log_sigmoid = true}, e);
    for (Index j = 0; j < lanes; ++j) {
      const Index c = (start + j) % outputs_, i = (start + j) / outputs_;
      const double y = targets(c, i);
      expansion.log_density +=
          y * e.log_sigmoid[j] + shape_ * (e.log_sigmoid[j] - z[j]) + kernel_.LogConstant(y);
      expansion.score(c, i) = y * e.zero[j] - shape_ * e.one[j];
      expansion.root(c, start + j) = std::sqrt((y + shape_) * e.curvature[j]);
    }
  }
}

NegativeBinomialMixture NegativeBinomial::Marginal(const LogitMoments& moments, const NoiseLevel&,
                                                   Index output, Index example) const {
  const auto [mean, variance] = Bounded(moments, output, example);
  return {mean, variance, kernel_};
}

}  // namespace prequel
