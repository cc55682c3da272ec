// Between two rows a belief becomes less sure, by the rate r of the prior's variances p₀. Over the
// n rows of a minibatch, with c = e^{−n r/κ} by weight:
//   P ← √c P √c + (1 − c) κ p₀
// which is P + n r p₀ while P is small, and never more than κ p₀. The intercepts of the outputs
// have a rate and a κ of their own: a level that walks may be anywhere in the end, so theirs is so
// large that they have none. Hidden layers have κ = 1, for they only bend what the last layer
// weighs.
#pragma once

#include <cmath>

#include "core/dynamics/dynamics_defaults.h"
#include "core/posteriors/posterior.h"

namespace prequel {

struct Drift {
  double rate = 0, intercept_rate = 0, hidden_rate = 0;           // r ≥ 0 per row
  double cap = 1000, intercept_cap = DynamicsDefaults::kMostCap;  // κ ≥ 1

  bool moves() const { return rate > 0 || intercept_rate > 0 || hidden_rate > 0; }

  template <Diffusive Q>
  void Move(const Passage& passage, Q& q, DynamicsScratch& scratch) const {
    const Index params = passage.prior_variances.size();
    scratch.keep.resize(params);
    scratch.added.resize(params);
    for (const DenseLayer& layer : passage.layers) {
      const bool last = &layer == &passage.layers.back();
      Spread(layer.offset, layer.size(), last ? rate : hidden_rate, last ? cap : 1, passage,
             scratch);
      if (last && layer.has_bias) {
        Spread(layer.bias_offset(), layer.outputs, intercept_rate, intercept_cap, passage, scratch);
      }
    }
    q.Diffuse(scratch.keep, scratch.added, scratch.matrix);
  }

 private:
  static void Spread(Index offset, Index size, double rate, double cap, const Passage& passage,
                     DynamicsScratch& scratch) {
    const double exponent = -passage.rows * rate / cap;
    scratch.keep.segment(offset, size).setConstant(std::exp(exponent));
    scratch.added.segment(offset, size) =
        -std::expm1(exponent) * cap * passage.prior_variances.segment(offset, size);
  }
};

}  // namespace prequel
