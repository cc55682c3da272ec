// What the likelihoods of counts with a log link share: every output has one logit, the log of its
// rate, and one target.
#pragma once

#include <string_view>

#include "core/config/learner_config.h"
#include "core/likelihoods/likelihood_defaults.h"
#include "core/likelihoods/logit_moments.h"

namespace prequel {

class CountLikelihood : public LikelihoodDefaults {
 public:
  static constexpr bool kClasses = false;
  static constexpr bool kCounts = true;
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

  // VarianceOf is v_c of an example, 0 at a point; below 0 only by rounding.
  double VarianceOf(const LogitMoments& moments, Index output, Index example) const {
    return moments.exact() ? 0 : moments.covariance(output, example * outputs_ + output);
  }
  // Bound is u = log 2 (M + 1), the largest mean rate that is believed, with M the largest count so
  // far, before the first as if it had been 99; kMaxLogRate where M is not known, so that the
  // variance of a count is finite.
  static double Bound(const NoiseLevel& noise, Index output);

  // Bounded returns f̂ and v as a predictive takes them. A linear predictor behind an exponential
  // says anything at an input far from all that were seen: the mean of a log-normal is its tail,
  // and e^{f̂ + v/2} is soon beyond every count there ever was. So much the less is the
  // extrapolation believed: with d = max(0, f̂ + v/2 − u) nats too much and κ = e^{−d},
  //   v' = κ v + (1 − κ) 4,   f̂' + v'/2 = log(M + 1) + κ log 2
  // which is N(f̂, v) itself where d = 0, and goes to the log-normal rate of mean M + 1 whose 95 %
  // are M/400 … 7 M: what the counts seen say of one of which no more is known.
  LogRate Bounded(const LogitMoments& moments, const NoiseLevel& noise, Index output,
                  Index example) const;

  Index outputs_ = 1;
};

}  // namespace prequel
