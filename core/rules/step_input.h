// What a stepping rule is given for one step, besides the posterior and its own state.
#pragma once

#include "core/expansion/expansion.h"
#include "core/linalg/types.h"
#include "core/random/philox.h"
#include "core/rules/rule_scratch.h"

namespace prequel {

// The objective is (examples/B) Σ_i −log p(y_i | θ) + ½ (θ − m₀)ᵀ Λ₀ (θ − m₀), in expectation over
// q and less q's entropy. A rule does not see which mode (core/rules/mode.h) the numbers are of.
struct StepInput {
  Expansion& expansion;           // bound to the minibatch
  bool at_mean;                   // Forward(q.mean) has been called on it
  const Vector& prior_mean;       // m₀: D; in recursive mode the mean of q_{t−1}
  const Vector& prior_precision;  // diag Λ₀: D; in recursive mode that of q_{t−1}
  // prior_covariance, of a full posterior in recursive mode, is the covariance of q_{t−1}, and
  // prior_precision has no meaning. Null: the prior is diagonal.
  const Matrix* prior_covariance;
  double examples;  // N; in recursive mode B
  Stream stream;    // lanes stream.lane + k, k < kMaxDraws, are this step's
  RuleScratch& scratch;

  static constexpr Index kMaxDraws = 1024;

  double rows() const { return static_cast<double>(expansion.examples()); }  // B
  Stream Draw(Index k) const {
    return {stream.seed, stream.step, stream.lane + static_cast<std::uint32_t>(k)};
  }
};

}  // namespace prequel
