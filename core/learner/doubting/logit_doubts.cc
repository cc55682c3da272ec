#include "core/learner/doubting/logit_doubts.h"

#include <variant>

#include "core/learner/noise.h"

namespace prequel {
namespace {

bool IsOfValues(const Problem& problem) {
  return std::visit([]<class L>(const L&) { return L::kWeighsRows; }, problem.likelihood);
}

// DoubtLogits writes D of the doubted rows, side by side, to w.covariance: C × C·R.
void DoubtLogits(const Problem& problem, const Vector& theta, const Matrix& inputs,
                 const InputDoubts& doubts, DoubtScratch& w) {
  const auto rows = static_cast<Index>(doubts.rows.size());
  const Index logits = problem.num_logits();
  w.inputs.resize(inputs.rows(), rows);
  for (Index r = 0; r < rows; ++r) {
    w.inputs.col(r) = inputs.col(doubts.rows[static_cast<std::size_t>(r)]);
  }
  w.expansion.Bind(problem.model, problem.likelihood, w.inputs, w.targets, w.noise);
  w.expansion.Linearize(theta);
  w.expansion.InputJacobian(theta, w.slopes);
  w.covariance.setZero(logits, logits * rows);
  const bool of_values = IsOfValues(problem);
  for (const InputDoubts::Cell& cell : doubts.cells) {
    if (cell.held && !of_values) continue;
    for (Index c = 0; c < logits; ++c) {
      const double pull = cell.variance * w.slopes(cell.column, c * rows + cell.at);
      for (Index d = 0; d < logits; ++d) {
        w.covariance(d, cell.at * logits + c) += pull * w.slopes(cell.column, d * rows + cell.at);
      }
    }
  }
}

}  // namespace

void AddDoubts(const Problem& problem, const Vector& theta, const Matrix& inputs,
               const InputDoubts& doubts, const NoiseLevel& noise, DoubtScratch& scratch,
               LogitMoments& member) {
  if (!doubts.any()) return;
  DoubtLogits(problem, theta, inputs, doubts, scratch);
  const Index logits = problem.num_logits();
  if (noise.is_unit) {
    member.doubted = true;
    member.doubt.setZero(logits, inputs.cols());
  } else if (member.exact()) {
    member.covariance.setZero(logits, logits * inputs.cols());
  }
  for (std::size_t r = 0; r < doubts.rows.size(); ++r) {
    const Index row = doubts.rows[r];
    const auto own = scratch.covariance.middleCols(static_cast<Index>(r) * logits, logits);
    if (noise.is_unit) {
      member.doubt.col(row) = own.diagonal();
    } else {
      member.covariance.middleCols(row * logits, logits) += own;
    }
  }
}

void WeighDoubts(const Problem& problem, const TargetState& targets, const Vector& theta,
                 const NoiseState& noise, const Matrix& inputs, const InputDoubts& doubts,
                 DoubtScratch& scratch, BeliefWorkspace& own) {
  own.sure = nullptr;
  if (!doubts.any() || !IsOfValues(problem)) return;
  DoubtLogits(problem, theta, inputs, doubts, scratch);
  PredictiveNoise(problem, targets, noise, scratch.noise);
  const Index logits = problem.num_logits();
  own.sureness.setOnes(inputs.cols());
  for (std::size_t r = 0; r < doubts.rows.size(); ++r) {
    const auto of_row = scratch.covariance.middleCols(static_cast<Index>(r) * logits, logits);
    double sum = 0;
    for (Index c = 0; c < logits; ++c) {
      sum += scratch.noise.variance[c] / (scratch.noise.variance[c] + of_row(c, c));
    }
    own.sureness[doubts.rows[r]] = sum / static_cast<double>(logits);
  }
  own.sure = &own.sureness;
}

}  // namespace prequel
