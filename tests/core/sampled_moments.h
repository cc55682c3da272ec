// What a sampler's draws average to.
#pragma once

#include <gtest/gtest.h>

#include "core/linalg/types.h"
#include "core/random/philox.h"

namespace prequel {

struct SampledMoments {
  Vector mean;    // D
  Matrix second;  // D × D, about the mean of the posterior
};

template <class Sampler, class Q>
SampledMoments MomentsOfDraws(const Q& q) {
  constexpr int kDraws = 200000;
  Sampler sampler;
  EXPECT_TRUE(sampler.Prepare(q).ok());
  SampledMoments moments{Vector::Zero(q.size()), Matrix::Zero(q.size(), q.size())};
  Vector theta;
  for (int k = 0; k < kDraws; ++k) {
    sampler.Draw(Stream{1, 0, static_cast<std::uint32_t>(k)}, theta);
    moments.mean += theta / kDraws;
    moments.second += (theta - q.mean) * (theta - q.mean).transpose() / kDraws;
  }
  return moments;
}

}  // namespace prequel
