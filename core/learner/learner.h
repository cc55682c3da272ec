// A model is a fold over its log: state' = Update(config, state, minibatch), pure and repeatable.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/change/change.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/encoding/refused_rows.h"
#include "core/learner/learner_state.h"
#include "core/predictive/answer.h"
#include "core/predictive/pieces.h"
#include "core/predictive/query_set.h"
#include "core/rules/step_report.h"
#include "core/scores/scores.h"

namespace prequel {

struct Problem;    // the parts of a configuration, made ready (core/learner/problem.h)
struct Workspace;  // all scratch memory of an update or a query (core/learner/scratch/workspace.h)

// One minibatch's outcome.
struct Learned {
  Scores scores;  // of this minibatch under the beliefs before it
  StepReport report;
  RefusedRows refused;  // neither scored nor learned, nor counted in the report
  // Values of the learned rows that were of a category without a slot before this minibatch; 0 for
  // the first rows of a model.
  Index unseen_categories = 0;
};

// How predictions of a batch came true, by a state that has not learned it.
struct Scored {
  Scores scores;
  Index skipped_rows = 0;       // target missing
  Index unscored_rows = 0;      // all, while the state knows no unit of the targets, or no class
  Index unseen_categories = 0;  // values of the scored rows, of a category without a slot
  RefusedRows refused;          // whose label is no class that the state knows
};

// Scratch for one thread at a time; grows to the largest batch once, then never allocates.
class Scratch {
 public:
  Scratch();
  ~Scratch();
  Scratch(Scratch&&) noexcept;
  Scratch& operator=(Scratch&&) noexcept;
  Workspace& workspace() { return *workspace_; }

 private:
  std::unique_ptr<Workspace> workspace_;
};

// Immutable after Create; every method is const, so any number of threads may share one Learner,
// each with a Scratch of its own.
class Learner {
 public:
  // Validates `config` and fills in its defaults. INVALID_ARGUMENT names the offending field.
  static absl::StatusOr<Learner> Create(const LearnerConfig& config);

  Learner(Learner&&) noexcept;
  Learner& operator=(Learner&&) noexcept;
  ~Learner();

  const LearnerConfig& config() const;  // with every default filled in
  Index num_parameters() const;         // D
  Index num_encoded_inputs() const;     // after one-hot columns and indicators
  Index num_input_columns() const;      // numeric columns a batch must carry

  // The state at revision 0: the prior, nothing seen.
  LearnerState Initial() const;

  // Whether `batch` has the right shape and finite, admissible values. INVALID_ARGUMENT names
  // field, row and column ("batch.inputs[3,1]"). A label that is no class is no error of the
  // minibatch: Update refuses its row alone.
  absl::Status CheckInputs(const Batch& batch) const;
  absl::Status CheckTargets(const Batch& batch) const;
  absl::Status CheckBatch(const Batch& batch) const;  // inputs and targets

  // Ask makes queries ready for this model; INVALID_ARGUMENT names the field ("options.samples").
  absl::StatusOr<QuerySet> Ask(const PredictOptions& options) const;

  // CheckRoom and CheckAnswer: whether a minibatch of `rows` rows can be predicted, and answered,
  // within the bounds of memory; INVALID_ARGUMENT names the field. Apart from CheckBatch, which is
  // of every minibatch that was ever learned: these are of those to come.
  absl::Status CheckRoom(Index rows) const;
  absl::Status CheckAnswer(Index rows, const QuerySet& queries) const;

  // Scores `batch` under `state`, then folds it in: writes the whole of `next` (which must not be
  // `state`; its storage is reused). When `queries` are given, `answer` is what was predicted of
  // the rows under `state`, by the numbers that were scored: that of row i knows that the world has
  // moved for i rows, where dynamics move it, and so differs from Predict's. It is empty if they
  // cannot be answered: what is learned does not depend on what is asked. Rows whose label is no
  // class of the model are left out and told; if that leaves none, all but the revision stays as it
  // was. REQUIRES: CheckBatch(batch), CheckRoom and CheckAnswer are OK; Ask has made the queries.
  // On error `next` is unspecified and `state`, being const, is untouched.
  absl::StatusOr<Learned> Update(const LearnerState& state, const Batch& batch, Scratch& scratch,
                                 LearnerState& next, const QuerySet* queries = nullptr,
                                 Answer* answer = nullptr) const;

  // The answers for `batch`'s inputs, each as if its row were the next one; or what
  // `pieces.proceed` ends them with. INVALID_ARGUMENT names a row whose prediction is not finite
  // ("batch.inputs[3]"). REQUIRES: CheckInputs(batch) is OK; Ask has made the queries.
  absl::StatusOr<Answer> Predict(const LearnerState& state, const Batch& batch,
                                 const QuerySet& queries, Scratch& scratch,
                                 const Pieces& pieces = {}) const;

  // The scores of predictions of `batch`, each row as if it were the next one, as `state` would
  // serve them: nothing is learned between them. Ends as Predict does; INVALID_ARGUMENT also names
  // "batch" where a score is no number. REQUIRES: CheckInputs(batch) and CheckTargets(batch) are
  // OK; Ask has made the queries, of scores().
  absl::StatusOr<Scored> Score(const LearnerState& state, const Batch& batch,
                               const QuerySet& queries, Scratch& scratch,
                               const Pieces& pieces = {}) const;

  // How fast the world moves, as far as its dynamics tell, and which alarms are raised.
  ChangeView ViewChange(const LearnerState& state) const;

  // Class labels known in `state`, in class order; empty for regression and counts.
  std::vector<std::string> Labels(const LearnerState& state) const;

  // The state as bytes: versioned, checksummed, and the same bytes for the same state.
  std::string EncodeState(const LearnerState& state) const;
  // DATA_LOSS for a bad checksum or a malformed body, FAILED_PRECONDITION for a version or a
  // configuration that is not this one.
  absl::StatusOr<LearnerState> DecodeState(std::string_view bytes) const;

 private:
  Learner(std::unique_ptr<const Problem> problem, QuerySet by_default);
  std::unique_ptr<const Problem> problem_;
  QuerySet by_default_;  // what is answered when nothing is asked for
};

}  // namespace prequel
