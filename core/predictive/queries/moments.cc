#include "core/predictive/queries/moments.h"

namespace prequel {

std::vector<Output> Moments::Outputs(const Asked& asked) const {
  return {{.name = "mean", .shape = {asked.targets}},
          {.name = "epistemic_variance", .shape = {asked.targets}},
          {.name = "aleatoric_variance", .shape = {asked.targets}}};
}

void Moments::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    for (Index t = 0; t < predictive.num_targets(); ++t) {
      const Distribution& d = predictive.At(t, i);
      out[0].values(t, first + i) = d.Mean();
      out[1].values(t, first + i) = d.EpistemicVariance();
      out[2].values(t, first + i) = d.AleatoricVariance();
    }
  }
}

}  // namespace prequel
