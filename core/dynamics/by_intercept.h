// What is left of a weight's deviation from the prior, per row: a factor, and one of its own for
// the intercepts of the outputs.
#pragma once

#include <cmath>

#include "absl/status/status.h"
#include "core/config/options.h"
#include "core/dynamics/dynamics_defaults.h"

namespace prequel {

class FactorsByIntercept {
 public:
  static constexpr double kLeastFactor = 1e-3;

  // Options `factor` and `intercept_factor`, each in [kLeastFactor, 1].
  absl::Status Configure(Options& options, double usual) {
    factor_ = usual;
    options.Help("what is left after a row of what a weight is off the prior")
        .Real("factor", &factor_, kLeastFactor, 1);
    intercept_factor_ = factor_;
    options.Help("the same of biases; as factor unless given")
        .Real("intercept_factor", &intercept_factor_, kLeastFactor, 1);
    return options.Finish();
  }

  bool moves() const { return factor_ < 1 || intercept_factor_ < 1; }

  // factorⁿ of each weight, over the n rows of the passage.
  void Over(const Passage& passage, Vector& out) const {
    out.setConstant(passage.prior_variances.size(), std::pow(factor_, passage.rows));
    const DenseLayer& last = passage.layers.back();
    if (!last.has_bias) return;
    out.segment(last.bias_offset(), last.outputs)
        .setConstant(std::pow(intercept_factor_, passage.rows));
  }

 private:
  double factor_ = 1, intercept_factor_ = 1;
};

}  // namespace prequel
