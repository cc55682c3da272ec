#include "core/learner/answering.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/learner/prediction.h"
#include "core/scores/scoring.h"

namespace prequel {
namespace {

constexpr Index kTile = 256;  // examples predicted at a time, of a model not too large
constexpr double kMaxProjected = double{1 << 26};     // of a Jacobian's numbers held at once
constexpr double kMaxMemberLogits = double{1 << 26};  // draws × examples × logits held at once
constexpr double kMaxAnswer = double{1 << 25};        // numbers in one answer

using Rows = std::span<const Index>;  // of a batch

// TileOf returns how many examples are predicted at a time: as many as a projector can hold the
// derivatives of, but no more than kTile.
Index TileOf(const Problem& problem) {
  const Index per_logit =
      std::max<Index>(1, problem.num_correlated() + problem.rank()) * problem.num_beliefs();
  const double most =
      kMaxProjected / static_cast<double>(per_logit) / static_cast<double>(problem.num_logits());
  return std::clamp<Index>(static_cast<Index>(most), 1, kTile);
}

// CheckSize refuses an answer to `rows` rows that would take too much memory: by `draws` draws of
// each of `beliefs` beliefs, with the numbers of `queries` for each row.
absl::Status CheckSize(const Problem& problem, int draws, std::size_t beliefs, Index rows,
                       const QuerySet& queries) {
  const double held = draws * static_cast<double>(beliefs) *
                      static_cast<double>(std::min(rows, kTile)) *
                      static_cast<double>(problem.num_logits());
  if (held > kMaxMemberLogits) {
    return FieldError("options.samples",
                      absl::StrCat("is ", draws, "; this model takes at most ",
                                   static_cast<std::int64_t>(draws * kMaxMemberLogits / held)));
  }
  const auto per_row = static_cast<double>(queries.numbers_per_example());
  if (per_row * static_cast<double>(rows) > kMaxAnswer) {
    return FieldError("batch.inputs.shape",
                      absl::StrCat("has ", rows, " rows; ask for at most ",
                                   static_cast<std::int64_t>(kMaxAnswer / per_row), " at a time"));
  }
  return absl::OkStatus();
}

Answer SizedFor(const Problem& problem, const LearnerState& state, const QuerySet& queries,
                Index rows) {
  Answer answer = queries.Sized(rows);
  answer.labels = problem.target_encoder.Labels(state.targets);
  return answer;
}

// PassTime writes the time up to each of the `rows` of a batch to `passed`; nothing where they do
// not say when they happened.
absl::Status PassTime(const LearnerState& state, const Batch& batch, Rows rows, Asking asking,
                      Vector& passed) {
  const Vector& times = batch.times;
  if (asking == Asking::kInTurn) return PassedInTurn(state.times, times, passed);
  passed.resize(times.size() > 0 ? static_cast<Index>(rows.size()) : 0);
  for (Index i = 0; i < passed.size(); ++i) {
    passed[i] = PassedTo(state.times, times[rows[static_cast<std::size_t>(i)]]);
  }
  return absl::OkStatus();
}

// CountAlike is how many of the next `most` rows, from `first` on, come at the same time as row
// `first`, which goes to `one`.
Index CountAlike(const Vector& passed, Index first, Index most, Vector& one) {
  if (passed.size() == 0) return most;
  one.setConstant(1, passed[first]);
  Index count = 1;
  while (count < most && passed[first + count] == passed[first]) ++count;
  return count;
}

// EncodeRows encodes `rows` of a batch into w.inputs. Returns how many of their categories have no
// slot.
Index EncodeRows(const Problem& problem, const LearnerState& state, const Batch& batch, Rows rows,
                 Workspace& w) {
  if (static_cast<Index>(rows.size()) == batch.rows()) {
    return problem.encoder.Encode(state.inputs, batch, w.inputs, w.doubts);
  }
  w.tile_rows.assign(rows.begin(), rows.end());
  SelectRows(batch, w.tile_rows, w.asked);
  return problem.encoder.Encode(state.inputs, w.asked, w.inputs, w.doubts);
}

absl::Status TooExtreme(Index row) {
  return FieldError(absl::StrCat("batch.inputs[", row, "]"),
                    "is predicted beyond all numbers: its inputs are too extreme for what the "
                    "model has learned");
}

absl::Status FillRows(const QuerySet& queries, Index first, Workspace& w, Answer& out) {
  if (const Index i = w.predictive.FirstNotFinite(); i >= 0) return TooExtreme(first + i);
  queries.Fill(w.predictive, first, out);
  return absl::OkStatus();
}

// RowTile holds rows of a batch that are predicted together.
struct RowTile {
  Index first = 0;  // where they begin in what is asked
  Rows rows;        // in the batch
  Index unseen_categories = 0;
};

// PredictInTiles predicts `rows` of a batch, tile by tile, into w.predictive, and gives each tile
// to `use`, which returns a status. A status that is not OK ends it.
template <class Use>
absl::Status PredictInTiles(const Problem& problem, const LearnerState& state, const Batch& batch,
                            Rows rows, const QuerySet& queries, Asking asking, Workspace& w,
                            const Pieces& pieces, const Use& use) {
  const auto asked = static_cast<Index>(rows.size());
  absl::Status status = PassTime(state, batch, rows, asking, w.asked_passed);
  const bool timed = batch.times.size() > 0;
  const Index most = std::min(TileOf(problem), pieces.rows);
  Sampling sampling{queries.samples(), pieces.proceed};
  for (Index first = 0, count = 0; status.ok() && first < asked; first += count) {
    if (first > 0 && pieces.proceed) {
      if (status = pieces.proceed(); !status.ok()) return status;
    }
    count = std::min(most, asked - first);
    Place place{first, asked, timed ? &w.asked_passed : nullptr};
    if (asking == Asking::kEachNext) {
      place = {0, 1, timed ? &w.one_passed : nullptr};
      count = CountAlike(w.asked_passed, first, count, w.one_passed);
    }
    RowTile tile{first,
                 rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count))};
    tile.unseen_categories = EncodeRows(problem, state, batch, tile.rows, w);
    sampling.follows = first > 0;
    status = PredictRows(problem, state, w.inputs, place, sampling, w);
    if (status.ok()) status = use(tile);
  }
  return status;
}

// OutcomesOf writes what came of `rows` of a batch to w.outcomes: values in their units, or indices
// of classes; and how often each counts to w.asked_weights.
void OutcomesOf(const Problem& problem, const LearnerState& state, const Batch& batch, Rows rows,
                Workspace& w) {
  w.tile_rows.assign(rows.begin(), rows.end());
  w.asked_weights.resize(batch.weights.size() > 0 ? static_cast<Index>(rows.size()) : 0);
  for (Index i = 0; i < w.asked_weights.size(); ++i) {
    w.asked_weights[i] = batch.weights[rows[static_cast<std::size_t>(i)]];
  }
  if (problem.classes()) {
    return problem.target_encoder.Encode(state.targets, batch, w.tile_rows, w.outcomes);
  }
  w.outcomes.resize(batch.targets.rows(), static_cast<Index>(rows.size()));
  for (Index i = 0; i < w.outcomes.cols(); ++i) {
    w.outcomes.col(i) = batch.targets.col(rows[static_cast<std::size_t>(i)]);
  }
}

// CanScore: whether the state knows of what it predicts: the unit of the targets, or classes by
// their names.
bool CanScore(const Problem& problem, const LearnerState& state) {
  const TargetEncoder& targets = problem.target_encoder;
  return problem.classes() ? !targets.Labels(state.targets).empty()
                           : targets.HasScale(state.targets);
}

// CheckRows: whether `rows` rows can be answered, by as many draws as `state` takes.
absl::Status CheckRows(const Problem& problem, const LearnerState& state, Index rows,
                       const QuerySet& queries) {
  const int draws = DrawsOf(problem, state.beliefs.front().rule, queries.samples());
  return CheckSize(problem, draws, state.beliefs.size(), rows, queries);
}

}  // namespace

Asked AskedOf(const Problem& problem) {
  const TargetEncoder& targets = problem.target_encoder;
  return {.classes = problem.classes(),
          .targets = problem.classes() ? targets.num_classes() : targets.width(),
          .logits = problem.num_logits()};
}

absl::StatusOr<Answer> AnswerBatch(const Problem& problem, const LearnerState& state,
                                   const Batch& batch, const QuerySet& queries, Asking asking,
                                   Workspace& w, const Pieces& pieces) {
  absl::Status status = CheckRows(problem, state, batch.rows(), queries);
  if (!status.ok()) return status;
  Answer out = SizedFor(problem, state, queries, batch.rows());
  w.asked_rows.resize(static_cast<std::size_t>(batch.rows()));
  std::iota(w.asked_rows.begin(), w.asked_rows.end(), 0);
  status =
      PredictInTiles(problem, state, batch, w.asked_rows, queries, asking, w, pieces,
                     [&](const RowTile& tile) { return FillRows(queries, tile.first, w, out); });
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<Scored> ScoreBatch(const Problem& problem, const LearnerState& state,
                                  const Batch& batch, const QuerySet& queries, Workspace& w,
                                  const Pieces& pieces) {
  absl::Status status = CheckRows(problem, state, batch.rows(), queries);
  if (!status.ok()) return status;
  Scored scored;
  if (!CanScore(problem, state)) {
    scored.unscored_rows = batch.rows();
    return scored;
  }
  problem.target_encoder.Select(state.targets, batch, w.asked_rows, scored.refused);
  const auto known = static_cast<Index>(w.asked_rows.size());
  scored.skipped_rows = batch.rows() - known - scored.refused.count;
  Judgement judgement(state.evaluation.cumulative.kind());
  const auto score = [&](const RowTile& tile) {
    scored.unseen_categories += tile.unseen_categories;
    const Index i = w.predictive.FirstNotFinite();
    if (i >= 0) return TooExtreme(tile.rows[static_cast<std::size_t>(i)]);
    OutcomesOf(problem, state, batch, tile.rows, w);
    ScoreExamples(w.predictive, w.outcomes, w.asked_weights, w.calibration.positions, w.errors,
                  judgement);
    return absl::OkStatus();
  };
  status = PredictInTiles(problem, state, batch, w.asked_rows, queries, Asking::kEachNext, w,
                          pieces, score);
  if (!status.ok()) return status;
  if (judgement.served.HasNaN()) {
    return FieldError("batch",
                      "has scores that are no numbers: its inputs or targets are too extreme for "
                      "what the model has learned");
  }
  scored.scores = judgement.served.Average();
  return scored;
}

void AnswerRows(const Problem& problem, const LearnerState& state, const Answering& answering,
                Workspace& w) {
  const Index rows = w.predictive.num_examples();
  answering.out = SizedFor(problem, state, answering.queries, rows);
  if (!FillRows(answering.queries, 0, w, answering.out).ok()) answering.out = Answer();
}

absl::Status CheckDraws(const Problem& problem, Index rows) {
  const int draws = DrawsOf(problem, FreshState(problem.rule), 0);
  const double held = draws * static_cast<double>(problem.num_beliefs()) *
                      static_cast<double>(rows) * static_cast<double>(problem.num_logits());
  if (held <= kMaxMemberLogits) return absl::OkStatus();
  const double most = kMaxMemberLogits / held * static_cast<double>(rows);
  return FieldError("batch.inputs.shape",
                    absl::StrCat("has ", rows, " rows; this model, which predicts by ", draws,
                                 " draws, takes minibatches of at most ",
                                 static_cast<std::int64_t>(most), ": split it"));
}

absl::Status CheckAnswer(const Problem& problem, Index rows, const QuerySet& queries) {
  const int draws = DrawsOf(problem, FreshState(problem.rule), queries.samples());
  const auto beliefs = static_cast<std::size_t>(problem.num_beliefs());
  return CheckSize(problem, draws, beliefs, rows, queries);
}

}  // namespace prequel
