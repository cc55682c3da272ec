// How much work is asked for, roughly, before it is done: to refuse what is out of all proportion,
// and to tell what is heavy, or long, from what is light.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/learner/cost.h"
#include "server/memory/model_memory.h"

namespace prequel {

// Estimates of time are of one core, by the flops that core counts: of products of matrices, and of
// the many small things that a query is. These are round figures, so that every machine refuses the
// same.
inline constexpr double kLearningFlopsPerSecond = 4e9;
inline constexpr double kAskingFlopsPerSecond = 1e9;

// Work that takes longer than this, two turns of learning, is done where nobody waits for it.
inline constexpr double kLongSeconds = 4e-3;

inline double SecondsToLearn(const ModelCost& cost, Index rows) {
  return rows == 0 ? 0 : cost.UpdateFlops(rows) / kLearningFlopsPerSecond;
}
// SecondsToPrepare is what a query takes before its rows, SecondsOfRows what it takes for `rows` of
// them.
inline double SecondsToPrepare(const ModelCost& cost, const QuerySet& queries) {
  return cost.PreparationFlops(queries) / kLearningFlopsPerSecond;
}
inline double SecondsOfRows(const ModelCost& cost, Index rows, const QuerySet& queries) {
  return static_cast<double>(rows) * cost.QueryFlops(queries) / kAskingFlopsPerSecond;
}
// SecondsToAnswer is all of it: prepared for once, or for each row where they say when they happen
// (`timed`).
double SecondsToAnswer(const ModelCost& cost, Index rows, const QuerySet& queries, bool timed);

// INVALID_ARGUMENT that names "batch" when a minibatch of `rows`, or a question about `rows` that
// takes `seconds`, would take longer than `most` seconds.
absl::Status CheckUpdateTime(const ModelCost& cost, Index rows, double most);
absl::Status CheckQueryTime(double seconds, Index rows, double most);

// Bytes that a hosted model takes: its learner, the published state, the next one and one that a
// reader or a snapshot still holds; and what it works with.
ModelBytes BytesOf(const Footprint& footprint);

}  // namespace prequel
