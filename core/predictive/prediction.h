// What a query is answered with, in the units of the targets as they were pushed.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

struct PredictOptions {
  std::vector<double> quantiles = {0.05, 0.25, 0.5, 0.75, 0.95};  // levels in (0, 1)
  int samples = 0;      // > 0: Monte Carlo in parameter space with this many draws
  bool logits = false;  // also return the logit moments
};

// Column i describes example i. Regression and counts fill the first group, classes the second.
struct Predictions {
  Matrix mean;                // outputs × B
  Matrix epistemic_variance;  // outputs × B, from not knowing the weights
  Matrix aleatoric_variance;  // outputs × B, of the noise
  Matrix quantiles;           // outputs·levels × B; level l of output o is row o·levels + l
  std::vector<double> quantile_levels;

  Matrix probabilities;  // classes × B
  std::vector<std::string> labels;
  Vector entropy;            // B, nats: of the predictive
  Vector aleatoric_entropy;  // B: expected entropy given the weights
  Vector epistemic_entropy;  // B: mutual information of label and weights

  Matrix logit_mean;        // C × B
  Matrix logit_covariance;  // C² × B, each column a C×C matrix
};

// INVALID_ARGUMENT unless the levels lie in (0, 1), strictly increasing and at most 99, and
// 0 <= samples <= 10000.
absl::Status CheckPredictOptions(const PredictOptions& options);

}  // namespace prequel
