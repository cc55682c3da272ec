// The beliefs that the moments of a predictive are of: all but those of least weight, of one part
// in a hundred together. What such a belief says is often so wide that a variance would be of
// nothing else. Probabilities, densities and quantiles are of all beliefs.
#pragma once

#include <span>
#include <vector>

#include "core/distributions/class_predictive.h"
#include "core/linalg/types.h"

namespace prequel {

class Believed {
 public:
  // Assign takes the weights of all beliefs, which sum to 1. Beliefs of one weight are left out
  // together or not at all, so that the order of beliefs tells nothing.
  void Assign(std::span<const double> weights);

  bool all() const { return most_ < 0; }
  // Weight returns what a belief of that weight has in moments; these sum to 1, too.
  double Weight(double weight) const { return weight <= most_ ? 0 : weight / (1 - left_out_); }

 private:
  double most_ = -1;  // the greatest weight that is left out; < 0: all are in
  double left_out_ = 0;
  std::vector<double> ordered_;
};

// ExpectEntropy sets the expected entropy of `all`, so that what is epistemic of its entropy is
// that of the beliefs which moments are of: the entropy of what these say together,
// `probabilities`, less what they say on average, `entropy`.
void ExpectEntropy(const Matrix& probabilities, const Vector& entropy, ClassPredictive& all);

}  // namespace prequel
