#include "core/learner/answering.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/config/error.h"
#include "core/learner/prediction.h"
#include "core/scores/scoring.h"

namespace prequel {
namespace {

constexpr Index kTile = 256;  // examples predicted at a time, of a model not too large
constexpr double kMaxProjected = double{1 << 26};     // of a Jacobian's numbers held at once
constexpr double kMaxMemberLogits = double{1 << 26};  // draws × examples × logits held at once
constexpr double kMaxAnswer = double{1 << 25};        // numbers in one answer

// As many examples as a projector can hold the derivatives of, but no more than kTile.
Index TileOf(const Problem& problem) {
  const Index per_logit =
      std::max<Index>(1, problem.num_correlated() + problem.rank()) * problem.num_beliefs();
  const double most =
      kMaxProjected / static_cast<double>(per_logit) / static_cast<double>(problem.num_logits());
  return std::clamp<Index>(static_cast<Index>(most), 1, kTile);
}

// `rows` at once, by as many draws of each belief, with as many numbers for each in the answer.
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

// The time up to each row, into `passed`; of rows that do not say when they happened, nothing.
absl::Status PassTime(const LearnerState& state, const Batch& batch, Asking asking,
                      Vector& passed) {
  const Vector& times = batch.times;
  if (asking == Asking::kInTurn) return PassedInTurn(state.times, times, passed);
  passed.resize(times.size());
  for (Index i = 0; i < times.size(); ++i) passed[i] = PassedTo(state.times, times[i]);
  return absl::OkStatus();
}

// How many of the next `most` rows, from `first` on, are as far away as it, which goes to `one`.
Index CountAlike(const Vector& passed, Index first, Index most, Vector& one) {
  if (passed.size() == 0) return most;
  one.setConstant(1, passed[first]);
  Index count = 1;
  while (count < most && passed[first + count] == passed[first]) ++count;
  return count;
}

// Those from `first` on, into w.inputs; returns Encoder::Encode.
Index EncodeRows(const Problem& problem, const LearnerState& state, const Batch& batch, Index first,
                 Index count, Workspace& w) {
  if (count == batch.rows()) return problem.encoder.Encode(state.inputs, batch, w.inputs);
  w.asked_rows.resize(static_cast<std::size_t>(count));
  std::iota(w.asked_rows.begin(), w.asked_rows.end(), first);
  SelectRows(batch, w.asked_rows, w.asked);
  return problem.encoder.Encode(state.inputs, w.asked, w.inputs);
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

// Those of a batch that are predicted together.
struct RowTile {
  Index first = 0, count = 0;
  Index unseen_categories = 0;
};

// The predictive of `batch`, a tile after the other into w.predictive, each given to `use`, which
// returns a status.
template <class Use>
absl::Status PredictInTiles(const Problem& problem, const LearnerState& state, const Batch& batch,
                            const QuerySet& queries, Asking asking, Workspace& w,
                            const Pieces& pieces, const Use& use) {
  const Index rows = batch.rows();
  absl::Status status = PassTime(state, batch, asking, w.asked_passed);
  const bool timed = batch.times.size() > 0;
  const Index most = std::min(TileOf(problem), pieces.rows);
  Sampling sampling{queries.samples(), pieces.proceed};
  for (RowTile tile; status.ok() && tile.first < rows; tile.first += tile.count) {
    if (tile.first > 0 && pieces.proceed) {
      if (status = pieces.proceed(); !status.ok()) return status;
    }
    tile.count = std::min(most, rows - tile.first);
    Place place{tile.first, rows, timed ? &w.asked_passed : nullptr};
    if (asking == Asking::kEachNext) {
      place = {0, 1, timed ? &w.one_passed : nullptr};
      tile.count = CountAlike(w.asked_passed, tile.first, tile.count, w.one_passed);
    }
    tile.unseen_categories = EncodeRows(problem, state, batch, tile.first, tile.count, w);
    sampling.follows = tile.first > 0;
    status = PredictRows(problem, state, w.inputs, place, sampling, w);
    if (status.ok()) status = use(tile);
  }
  return status;
}

// What came of the rows of the tile: values in their units, or indices of classes.
void OutcomesOf(const Problem& problem, const TargetState& targets, const Batch& batch,
                const RowTile& tile, Workspace& w) {
  if (!problem.classes()) {
    w.outcomes = batch.targets.middleCols(tile.first, tile.count);
    return;
  }
  w.kept.resize(static_cast<std::size_t>(tile.count));
  std::iota(w.kept.begin(), w.kept.end(), tile.first);
  problem.target_encoder.Encode(targets, batch, w.kept, w.outcomes);
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
  const int draws = DrawsOf(problem, state.beliefs.front().rule, queries.samples());
  absl::Status status = CheckSize(problem, draws, state.beliefs.size(), batch.rows(), queries);
  if (!status.ok()) return status;
  Answer out = SizedFor(problem, state, queries, batch.rows());
  status =
      PredictInTiles(problem, state, batch, queries, asking, w, pieces,
                     [&](const RowTile& tile) { return FillRows(queries, tile.first, w, out); });
  if (!status.ok()) return status;
  return out;
}

absl::StatusOr<Scored> ScoreBatch(const Problem& problem, const LearnerState& state,
                                  const Batch& batch, const QuerySet& queries, Workspace& w,
                                  const Pieces& pieces) {
  const int draws = DrawsOf(problem, state.beliefs.front().rule, queries.samples());
  absl::Status status = CheckSize(problem, draws, state.beliefs.size(), batch.rows(), queries);
  if (!status.ok()) return status;
  Scored scored;
  TargetState targets = state.targets;
  problem.target_encoder.Meet(batch, targets);
  problem.target_encoder.Select(targets, batch, w.known, scored.refused);
  const auto known = static_cast<Index>(w.known.size());
  scored.skipped_rows = batch.rows() - known - scored.refused.count;
  if (!problem.target_encoder.HasScale(state.targets)) {
    scored.unscored_rows = known;
    return scored;
  }
  const bool all_known = known == batch.rows();
  if (!all_known) SelectRows(batch, w.known, w.selected);
  const Batch& rows = all_known ? batch : w.selected;
  Judgement judgement(state.evaluation.cumulative.kind());
  const auto score = [&](const RowTile& tile) {
    scored.unseen_categories += tile.unseen_categories;
    const Index i = w.predictive.FirstNotFinite();
    if (i >= 0) return TooExtreme(w.known[static_cast<std::size_t>(tile.first + i)]);
    OutcomesOf(problem, targets, rows, tile, w);
    ScoreExamples(w.predictive, w.outcomes, w.calibration.positions, w.errors, judgement);
    return absl::OkStatus();
  };
  if (known > 0) {
    status = PredictInTiles(problem, state, rows, queries, Asking::kEachNext, w, pieces, score);
    if (!status.ok()) return status;
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
