#include "core/predictive/queries/logits.h"

namespace prequel {

std::vector<Output> Logits::Outputs(const Asked& asked) const {
  return {{.name = "logit_mean", .shape = {asked.logits}},
          {.name = "logit_covariance", .shape = {asked.logits, asked.logits}}};
}

void Logits::Fill(Predictive& predictive, Index first, std::span<Output> out) const {
  Vector mean;
  Matrix covariance;
  for (Index i = 0; i < predictive.num_examples(); ++i) {
    predictive.Logits(i, mean, covariance);
    out[0].values.col(first + i) = mean;
    out[1].values.col(first + i) = covariance.reshaped();
  }
}

}  // namespace prequel
