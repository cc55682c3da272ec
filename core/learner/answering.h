// Answers to queries, and scores of what would be answered.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/learner/learner.h"
#include "core/learner/learner_state.h"
#include "core/learner/problem.h"
#include "core/learner/scratch/workspace.h"
#include "core/predictive/answer.h"
#include "core/predictive/pieces.h"
#include "core/predictive/query_set.h"

namespace prequel {

// What is asked, and where the answer goes.
struct Answering {
  const QuerySet& queries;
  Answer& out;
};

// What queries can be asked of the model.
Asked AskedOf(const Problem& problem);

// Asking says whether rows come one after the other, as those of a minibatch that is learned, so
// that the world moves on between them; or whether each is asked about as the next, whatever is
// asked beside it.
enum class Asking { kInTurn, kEachNext };

// AnswerBatch has the contract of Learner::Predict when each row is the next.
absl::StatusOr<Answer> AnswerBatch(const Problem& problem, const LearnerState& state,
                                   const Batch& batch, const QuerySet& queries, Asking asking,
                                   Workspace& w, const Pieces& pieces = {});

// ScoreBatch has the contract of Learner::Score.
absl::StatusOr<Scored> ScoreBatch(const Problem& problem, const LearnerState& state,
                                  const Batch& batch, const QuerySet& queries, Workspace& w,
                                  const Pieces& pieces);

// AnswerRows writes the whole answer, of all that w.predictive is of: nothing where that is not
// finite.
void AnswerRows(const Problem& problem, const LearnerState& state, const Answering& answering,
                Workspace& w);

// CheckDraws has the contract of Learner::CheckRoom, as far as predictions go, CheckAnswer that of
// the same name.
absl::Status CheckDraws(const Problem& problem, Index rows);
absl::Status CheckAnswer(const Problem& problem, Index rows, const QuerySet& queries);

}  // namespace prequel
