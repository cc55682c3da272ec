#include "server/engine/pieces.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "server/engine/work.h"

namespace prequel {
namespace {

constexpr double kPieceSeconds = 0.05;
constexpr Index kMostRows = 256;

template <class T>
std::vector<T> Part(const std::vector<T>& all, Index first, Index count) {
  if (all.empty()) return {};
  return {all.begin() + first, all.begin() + first + count};
}

// What a query is of: the inputs.
Batch RowsOf(const Batch& batch, Index first, Index count) {
  Batch rows;
  if (batch.inputs.size() > 0) rows.inputs = batch.inputs.middleCols(first, count);
  for (const std::vector<std::string>& column : batch.text) {
    rows.text.push_back(Part(column, first, count));
  }
  return rows;
}

// Writes `piece` into the columns from `first` on, of `rows` in all.
void Insert(Answer piece, Index first, Index rows, Answer& whole) {
  if (first == 0) {
    whole = piece;
    for (Output& output : whole.outputs) output.values.resize(output.values.rows(), rows);
  }
  for (std::size_t i = 0; i < piece.outputs.size(); ++i) {
    const Matrix& values = piece.outputs[i].values;
    whole.outputs[i].values.middleCols(first, values.cols()) = values;
  }
}

}  // namespace

Index PieceOf(const ModelCost& cost, const QuerySet& queries) {
  const double rows = kPieceSeconds / SecondsToAnswer(cost, 1, queries);
  return static_cast<Index>(std::clamp(rows, 1.0, static_cast<double>(kMostRows)));
}

absl::StatusOr<Answer> PredictInPieces(const Learner& learner, const LearnerState& state,
                                       const Batch& batch, const QuerySet& queries, Index piece,
                                       Scratch& scratch, const StillWanted& proceed) {
  const Index rows = batch.rows();
  if (rows <= piece) return learner.Predict(state, batch, queries, scratch);
  Answer whole;
  for (Index first = 0; first < rows; first += piece) {
    if (first > 0 && proceed) {
      if (absl::Status status = proceed(); !status.ok()) return status;
    }
    const Batch part = RowsOf(batch, first, std::min(piece, rows - first));
    absl::StatusOr<Answer> answered = learner.Predict(state, part, queries, scratch);
    if (!answered.ok()) return answered;
    Insert(*std::move(answered), first, rows, whole);
  }
  return whole;
}

}  // namespace prequel
