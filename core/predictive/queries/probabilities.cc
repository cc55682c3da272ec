#include "core/predictive/queries/probabilities.h"

namespace prequel {

std::vector<Output> Probabilities::Outputs(const Asked& asked) const {
  return {{.name = "probabilities", .shape = {asked.targets}}};
}

void Probabilities::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  const ClassPredictive& p = predictive.Classes(false);
  out[0].values.middleCols(first, predictive.num_examples()) = p.probabilities;
}

}  // namespace prequel
