// Whether two models believe the same, to rounding.
#pragma once

#include <gtest/gtest.h>

#include "tests/core/belief_of.h"

namespace prequel {

// Of those that have one belief with a full covariance.
inline void ExpectSamePosterior(const LearnerState& one, const LearnerState& other) {
  const auto& q = std::get<FullGaussian>(BeliefOf(one).posterior);
  const auto& same = std::get<FullGaussian>(BeliefOf(other).posterior);
  EXPECT_TRUE(q.mean.isApprox(same.mean, 1e-10));
  const Matrix covariance = q.covariance.selfadjointView<Eigen::Lower>();
  const Matrix same_covariance = same.covariance.selfadjointView<Eigen::Lower>();
  EXPECT_TRUE(covariance.isApprox(same_covariance, 1e-10));
}

}  // namespace prequel
