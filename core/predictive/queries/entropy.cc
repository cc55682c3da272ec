#include "core/predictive/queries/entropy.h"

#include <algorithm>

namespace prequel {

std::vector<Output> Entropy::Outputs(const Asked& /*asked*/) const {
  return {{.name = "entropy"}, {.name = "aleatoric_entropy"}, {.name = "epistemic_entropy"}};
}

void Entropy::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  const ClassPredictive& p = predictive.Classes(true);
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    const double total = -p.probabilities.col(i).dot(p.log_probabilities.col(i));
    out[0].values(0, first + i) = total;
    out[1].values(0, first + i) = std::min(p.expected_entropy[i], total);
    out[2].values(0, first + i) = std::max(0.0, total - p.expected_entropy[i]);
  }
}

}  // namespace prequel
