#include "core/learner/codec/state_v2.h"

#include <limits>
#include <variant>

#include "core/learner/belief.h"

namespace prequel {

void UpgradeFromV2(const Problem& problem, LearnerState& state) {
  state.targets.largest = problem.target_encoder.Initial().largest;
  state.targets.largest.setConstant(std::numeric_limits<double>::infinity());
  state.mixing = problem.mixing.Fresh();
  if (!std::holds_alternative<Rvga>(problem.rule) || !problem.in_noise_units()) return;
  for (Belief& belief : state.beliefs) {
    auto* q = std::get_if<FullGaussian>(&belief.posterior);
    // What is not sound is found out later, as it was written.
    if (q == nullptr || q->covariance.rows() != problem.num_params() ||
        q->covariance.cols() != problem.num_params() ||
        belief.noise.shape.size() != problem.num_logits() ||
        belief.noise.rate.size() != problem.num_logits()) {
      continue;
    }
    // A linear model has one layer. Weights of different outputs are independent, so of each column
    // all that is not 0 belongs to one output.
    const DenseLayer& layer = problem.layers.back();
    for (Index j = 0; j < q->size(); ++j) {
      const Index output = layer.PlaceOf(j).output;
      q->covariance.col(j) /= belief.noise.rate[output] / belief.noise.shape[output];
    }
  }
}

}  // namespace prequel
