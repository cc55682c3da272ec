#include "tests/accept/folding.h"

#include <limits>
#include <utility>

#include "core/learner/scratch/workspace.h"
#include "tests/accept/data_file.h"
#include "tests/accept/or_die.h"

namespace prequel::accept {

Folding::Folding(const LearnerConfig& config)
    : learner_(OrDie(Learner::Create(config))), state_(learner_.Initial()) {}

Learned Folding::Learn(const Batch& batch) {
  OrDie(learner_.CheckBatch(batch));
  Learned learned = OrDie(learner_.Update(state_, batch, scratch_, next_));
  std::swap(state_, next_);
  return learned;
}

void Folding::LearnAll(const Batch& rows, Index size) {
  ForEachMinibatch(rows, size, [&](const Batch& batch) { Learn(batch); });
}

void Folding::LearnInPasses(const Batch& rows, Index size, int passes, std::uint64_t seed) {
  OrDie(learner_.CheckBatch(rows));
  for (int pass = 0; pass < passes; ++pass) {
    const std::uint64_t order = 1000 * seed + static_cast<std::uint64_t>(pass);
    ForEachMinibatch(Pick(rows, Shuffled(rows.rows(), order)), size, [&](const Batch& batch) {
      if (learner_.Update(state_, batch, scratch_, next_).ok()) std::swap(state_, next_);
    });
  }
}

Answer Folding::Predict(const Batch& batch, const PredictOptions& options) {
  return OrDie(learner_.Predict(state_, batch, OrDie(learner_.Ask(options)), scratch_));
}

Predictive& Folding::predicted() { return scratch_.workspace().predictive; }

Tally Folding::Score(const Batch& rows, Index size) {
  OrDie(learner_.CheckBatch(rows));
  Tally before = state_.evaluation.cumulative, total(before.kind());
  before.Scale(-1);
  ForEachMinibatch(rows, size, [&](const Batch& batch) {
    if (!learner_.Update(state_, batch, scratch_, next_).ok()) {
      Tally diverged(before.kind());
      const auto weight = static_cast<double>(batch.rows());
      const double nll = std::numeric_limits<double>::infinity();
      diverged.RestoreWeight(weight);
      diverged.Restore("nll", weight, &nll, 1);
      return total.Add(diverged);
    }
    total.Add(before);
    total.Add(next_.evaluation.cumulative);
  });
  return total;
}

}  // namespace prequel::accept
