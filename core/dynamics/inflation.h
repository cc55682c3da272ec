// Between two rows a belief becomes less sure, by the rate r of the prior's variances p₀. Over the
// n rows of a minibatch, with c = e^{−n r/κ} by weight:
//   P ← √c P √c + (1 − c) κ p₀
// which is P + n r p₀ while P is small, and never more than κ p₀. The intercepts of the outputs
// have a rate of their own; hidden layers have κ = 1, for they only bend what the last layer
// weighs.
#pragma once

#include <cmath>
#include <string_view>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/dynamics_defaults.h"
#include "core/posteriors/posterior.h"

namespace prequel {

// Options:
//   rate            r ≥ 0, of the prior's variance per row; 1e-3 unless given
//   intercept_rate  that of the outputs' intercepts; `rate` unless given
//   cap             κ ≥ 1; 1000 unless given
class Inflation {
 public:
  static constexpr std::string_view kName = "inflation";
  static constexpr bool kMoves = true;

  using State = NoDynamicsState;

  absl::Status Configure(Options& options) {
    constexpr double kMostRate = 1e6, kMostCap = 1e12;
    options.Real("rate", &rate_, 0, kMostRate);
    intercept_rate_ = rate_;
    options.Real("intercept_rate", &intercept_rate_, 0, kMostRate);
    options.Real("cap", &cap_, 1, kMostCap);
    return options.Finish();
  }

  template <Diffusive Q>
  void Move(const Passage& passage, Q& q, DynamicsScratch& scratch) const {
    const Index params = passage.prior_variances.size();
    scratch.keep.resize(params);
    scratch.added.resize(params);
    for (const DenseLayer& layer : passage.layers) {
      const bool last = &layer == &passage.layers.back();
      Drift(layer.offset, layer.size(), rate_, last ? cap_ : 1, passage, scratch);
      if (last && layer.has_bias) {
        Drift(layer.bias_offset(), layer.outputs, intercept_rate_, cap_, passage, scratch);
      }
    }
    q.Diffuse(scratch.keep, scratch.added, scratch.matrix);
  }

 private:
  static void Drift(Index offset, Index size, double rate, double cap, const Passage& passage,
                    DynamicsScratch& scratch) {
    const double exponent = -passage.rows * rate / cap;
    scratch.keep.segment(offset, size).setConstant(std::exp(exponent));
    scratch.added.segment(offset, size) =
        -std::expm1(exponent) * cap * passage.prior_variances.segment(offset, size);
  }

  double rate_ = 1e-3, intercept_rate_ = 1e-3, cap_ = 1000;
};

}  // namespace prequel
