// A minibatch as it was pushed, before encoding.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/linalg/types.h"

namespace prequel {

struct Batch {
  Matrix inputs;                               // numeric columns × B; NaN means missing
  std::vector<std::vector<std::string>> text;  // one per categorical feature, each of B values
  Matrix targets;                              // T × B; empty when absent or given as labels
  std::vector<std::string> labels;             // B class labels as text; empty when absent
  Vector times;                                // B: when each happened; empty when not told
  Vector weights;                              // B: how often each counts; empty: once
  // Predictions of rows that were learned before say nothing of those to come: nothing is scored,
  // and nothing but the weights of the model and its noise learns.
  bool learned_before = false;

  // Examples: from whichever part is present; CheckBatch requires the others to agree.
  Index rows() const {
    if (inputs.size() > 0) return inputs.cols();
    if (!text.empty()) return static_cast<Index>(text.front().size());
    return 0;
  }
};

// What a row may count at most.
inline constexpr double kMostWeight = 1e6;

// INVALID_ARGUMENT names the row ("batch.weights[3]") unless there are no weights, or one for each
// of `rows` rows, in [0, kMostWeight].
absl::Status CheckWeights(const Vector& weights, Index rows);

// The rows `kept` of `batch`, in that order.
void SelectRows(const Batch& batch, const std::vector<Index>& kept, Batch& out);

}  // namespace prequel
