// What the likelihoods of counts with a log link share: every output has one logit, the log of its
// rate, and one target.
#pragma once

#include <string_view>

#include "core/config/learner_config.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/moments.h"

namespace prequel {

class CountLikelihood : public LikelihoodDefaults {
 public:
  static constexpr bool kClasses = false;
  static constexpr Link kLink = Link::kLog;
  static constexpr double kMaxLogRate = 300;
  static constexpr double kMaxCount = 9007199254740992;  // 2⁵³: counts beyond are not all doubles

  Index num_logits() const { return outputs_; }
  Index num_targets() const { return outputs_; }
  Index curvature_rank() const { return outputs_; }

  std::string_view TargetProblem(double y) const;

 protected:
  struct LogRate {
    double mean, variance;
  };

  // v_c of an example, 0 at a point; below 0 only by rounding.
  double VarianceOf(const LogitMoments& moments, Index output, Index example) const {
    return moments.exact() ? 0 : moments.covariance(output, example * outputs_ + output);
  }
  // As a predictive takes it: bounded, so that the variance of the count is finite.
  LogRate Bounded(const LogitMoments& moments, Index output, Index example) const;

  Index outputs_ = 1;
};

}  // namespace prequel
