// How much work is asked for, roughly, before it is done: to refuse what is out of all proportion,
// and to tell what is heavy, or long, from what is light.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "core/learner/cost.h"
#include "server/memory/model_memory.h"

namespace prequel {

// Of one core, by the flops that core estimates: of products of matrices, and of the many small
// things that a query is. Round figures, so that the same is refused by every machine.
inline constexpr double kLearningFlopsPerSecond = 4e9;
inline constexpr double kAskingFlopsPerSecond = 1e9;

// What takes longer than this, two turns of learning, is done where nobody waits for it.
inline constexpr double kLongSeconds = 4e-3;

inline double SecondsToLearn(const ModelCost& cost, Index rows) {
  return rows == 0 ? 0 : cost.UpdateFlops(rows) / kLearningFlopsPerSecond;
}
// What a query takes before its rows, and for so many of these.
inline double SecondsToPrepare(const ModelCost& cost, const QuerySet& queries) {
  return cost.PreparationFlops(queries) / kLearningFlopsPerSecond;
}
inline double SecondsOfRows(const ModelCost& cost, Index rows, const QuerySet& queries) {
  return static_cast<double>(rows) * cost.QueryFlops(queries) / kAskingFlopsPerSecond;
}
// All of it: prepared for once, or for each row where they say when they happen (`timed`).
double SecondsToAnswer(const ModelCost& cost, Index rows, const QuerySet& queries, bool timed);

// INVALID_ARGUMENT that names "batch" when a minibatch of so many rows, or a question about so many
// that takes so many `seconds`, would take longer than `most` seconds.
absl::Status CheckUpdateTime(const ModelCost& cost, Index rows, double most);
absl::Status CheckQueryTime(double seconds, Index rows, double most);

// Bytes that a hosted model takes: its learner, the published state, the next one and one that a
// reader or a snapshot still holds; and what it works with.
ModelBytes BytesOf(const Footprint& footprint);

}  // namespace prequel
