#include "core/predictive/believed.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace prequel {
namespace {

constexpr double kBeyondBelief = 0.01;

}  // namespace

void Believed::Assign(std::span<const double> weights) {
  ordered_.assign(weights.begin(), weights.end());
  std::sort(ordered_.begin(), ordered_.end());
  most_ = -1;
  left_out_ = 0;
  double sum = 0;
  for (std::size_t k = 0; k < ordered_.size(); ++k) {
    sum += ordered_[k];
    if (sum > kBeyondBelief) return;
    if (k + 1 < ordered_.size() && ordered_[k + 1] == ordered_[k]) continue;
    left_out_ = sum;
    most_ = ordered_[k];
  }
}

void ExpectEntropy(const Matrix& probabilities, const Vector& entropy, ClassPredictive& all) {
  const auto own = [](double p) { return p > 0 ? -p * std::log(p) : 0; };
  all.expected_entropy.resize(probabilities.cols());
  for (Index i = 0; i < probabilities.cols(); ++i) {
    const double total = -all.probabilities.col(i).dot(all.log_probabilities.col(i));
    const double epistemic = probabilities.col(i).unaryExpr(own).sum() - entropy[i];
    all.expected_entropy[i] = std::max(0.0, total - std::max(0.0, epistemic));
  }
}

}  // namespace prequel
