#include "core/learner/learner.h"

#include <cmath>
#include <optional>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/learner/answering.h"
#include "core/learner/belief.h"
#include "core/learner/codec/packing.h"
#include "core/learner/codec/state_codec.h"
#include "core/learner/fold.h"
#include "core/learner/noise.h"
#include "core/learner/prediction.h"
#include "core/learner/problem.h"
#include "core/learner/reweighing.h"
#include "core/learner/scratch/poison.h"
#include "core/learner/scratch/workspace.h"
#include "core/linalg/flush_denormals.h"

namespace prequel {
namespace {

// What one minibatch may make an update hold: D × C·B numbers of a full Jacobian, or those of its
// rows that have a covariance, or the tapes of a diagonal one, of each belief. 1 GiB of doubles.
constexpr double kMaxJacobian = double{1 << 27};

absl::Status CheckBatchSize(const Problem& problem, Index rows) {
  const Index correlated = problem.num_correlated();
  const Index rounds =
      std::visit([](const auto& rule) -> Index { return rule.rounds(); }, problem.rule);
  const Index held = correlated > 0 ? correlated : rounds;
  const double columns = static_cast<double>(rows) * static_cast<double>(problem.num_logits());
  const double numbers = columns * static_cast<double>(held * problem.num_beliefs());
  if (numbers <= kMaxJacobian) return absl::OkStatus();
  const double most = kMaxJacobian / numbers * static_cast<double>(rows);
  return FieldError("batch.inputs.shape",
                    absl::StrCat("has ", rows, " rows; this model takes minibatches of at most ",
                                 static_cast<Index>(most), ": split it"));
}

LearnerState InitialState(const Problem& problem) {
  LearnerState state;
  state.inputs = problem.encoder.Initial();
  state.targets = problem.target_encoder.Initial();
  state.evaluation = Evaluation(problem.classes() ? TargetKind::kClasses : TargetKind::kValues);
  Belief belief;
  belief.noise = InitialNoise(problem);
  belief.rule = FreshState(problem.rule);
  belief.dynamics = FreshState(problem.dynamics);
  const Hypotheses& of = problem.hypotheses;
  state.beliefs.assign(static_cast<std::size_t>(of.beliefs()), belief);
  for (Index k = 0; k < of.beliefs(); ++k) {
    const auto others = static_cast<std::size_t>(of.tracks_of(k) - 1);
    Belief& of_this = state.beliefs[static_cast<std::size_t>(k)];
    of_this.posterior = problem.PriorOf(k).initial;
    of_this.tracks.assign(others, belief.noise);
    of_this.log_weight = std::log(1 / static_cast<double>(of.beliefs()));
  }
  state.mixing = problem.mixing.Fresh();
  state.calibration = problem.FreshCalibration();
  state.references = problem.references().Fresh();
  state.restarts =
      problem.run_lengths.any() ? problem.run_lengths.Fresh() : problem.restarts.Fresh();
  state.change.watch = problem.input_watch().Fresh();
  state.change.errors = problem.error_watch().Fresh();
  Vector weights;
  WeighBeliefs(problem, weights, state);
  return state;
}

// Unpacked is `state` itself, or what it holds in float32.
const LearnerState& Unpacked(const Problem& problem, const LearnerState& state, Workspace& w) {
  if (problem.storage == Storage::kFloat64) return state;
  Unpack(problem, state, w.unpacked);
  return w.unpacked;
}

// Use returns the memory of `scratch`, for one use by `problem`.
Workspace& Use(const Problem& problem, Scratch& scratch) {
  Workspace& w = scratch.workspace();
#ifndef NDEBUG
  Poison(&problem, w);
#else
  (void)problem;
#endif
  return w;
}

}  // namespace

Scratch::Scratch() : workspace_(std::make_unique<Workspace>()) {}
Scratch::~Scratch() = default;
Scratch::Scratch(Scratch&&) noexcept = default;
Scratch& Scratch::operator=(Scratch&&) noexcept = default;

Learner::Learner(std::unique_ptr<const Problem> problem, QuerySet by_default)
    : problem_(std::move(problem)), by_default_(std::move(by_default)) {}
Learner::Learner(Learner&&) noexcept = default;
Learner& Learner::operator=(Learner&&) noexcept = default;
Learner::~Learner() = default;

absl::StatusOr<Learner> Learner::Create(const LearnerConfig& config) {
  absl::StatusOr<Problem> problem = Problem::Make(config);
  if (!problem.ok()) return problem.status();
  absl::StatusOr<QuerySet> by_default = QuerySet::Make({}, AskedOf(*problem));
  if (!by_default.ok()) return by_default.status();
  Learner learner(std::make_unique<const Problem>(*std::move(problem)), *std::move(by_default));
  LearnerState packed;
  if (learner.problem_->storage == Storage::kFloat32 &&
      !Pack(InitialState(*learner.problem_), packed).ok()) {
    return FieldError("config.posterior.options.storage",
                      "is \"float32\", which cannot hold the prior's means or precisions: use "
                      "\"float64\"");
  }
  return learner;
}

const LearnerConfig& Learner::config() const { return problem_->config; }
Index Learner::num_parameters() const { return problem_->num_params(); }
Index Learner::num_encoded_inputs() const { return problem_->encoder.num_encoded(); }
Index Learner::num_input_columns() const { return problem_->encoder.num_input_columns(); }

LearnerState Learner::Initial() const {
  LearnerState state = InitialState(*problem_);
  if (problem_->storage == Storage::kFloat64) return state;
  LearnerState packed;
  Pack(state, packed).IgnoreError();  // Create has seen it done
  return packed;
}

absl::Status Learner::CheckInputs(const Batch& batch) const {
  absl::Status status = problem_->encoder.Check(batch);
  if (status.ok()) status = CheckTimes(batch.times, batch.rows(), false);
  return status.ok() ? CheckWeights(batch.weights, batch.rows()) : status;
}

absl::Status Learner::CheckTargets(const Batch& batch) const {
  const TargetProblem problem = [this](double y) {
    return std::visit([&](const auto& l) { return std::string_view(l.TargetProblem(y)); },
                      problem_->likelihood);
  };
  return problem_->target_encoder.Check(batch, problem);
}

absl::Status Learner::CheckBatch(const Batch& batch) const {
  absl::Status status = problem_->encoder.Check(batch);
  if (status.ok()) status = CheckTargets(batch);
  if (status.ok()) status = CheckTimes(batch.times, batch.rows(), true);
  if (status.ok()) status = CheckWeights(batch.weights, batch.rows());
  return status.ok() ? CheckBatchSize(*problem_, batch.rows()) : status;
}

absl::StatusOr<QuerySet> Learner::Ask(const PredictOptions& options) const {
  if (options == PredictOptions()) return by_default_;
  return QuerySet::Make(options, AskedOf(*problem_));
}

absl::Status Learner::CheckRoom(Index rows) const { return CheckDraws(*problem_, rows); }
absl::Status Learner::CheckAnswer(Index rows, const QuerySet& queries) const {
  return prequel::CheckAnswer(*problem_, rows, queries);
}

absl::StatusOr<Learned> Learner::Update(const LearnerState& state, const Batch& batch,
                                        Scratch& scratch, LearnerState& next,
                                        const QuerySet* queries, Answer* answer) const {
  const FlushDenormals flush;
  Workspace& w = Use(*problem_, scratch);
  std::optional<Answering> answering;
  if (queries != nullptr) answering.emplace(Answering{*queries, *answer});
  const Answering* asked = answering.has_value() ? &*answering : nullptr;
  const LearnerState& now = Unpacked(*problem_, state, w);
  if (problem_->storage == Storage::kFloat64)
    return FoldMinibatch(*problem_, now, batch, w, next, asked);
  absl::StatusOr<Learned> learned = FoldMinibatch(*problem_, now, batch, w, w.next_unpacked, asked);
  if (!learned.ok()) return learned;
  if (absl::Status status = Pack(w.next_unpacked, next); !status.ok()) return status;
  return learned;
}

absl::StatusOr<Answer> Learner::Predict(const LearnerState& state, const Batch& batch,
                                        const QuerySet& queries, Scratch& scratch,
                                        const Pieces& pieces) const {
  const FlushDenormals flush;
  Workspace& w = Use(*problem_, scratch);
  return AnswerBatch(*problem_, Unpacked(*problem_, state, w), batch, queries, Asking::kEachNext, w,
                     pieces);
}

absl::StatusOr<Scored> Learner::Score(const LearnerState& state, const Batch& batch,
                                      const QuerySet& queries, Scratch& scratch,
                                      const Pieces& pieces) const {
  const FlushDenormals flush;
  Workspace& w = Use(*problem_, scratch);
  return ScoreBatch(*problem_, Unpacked(*problem_, state, w), batch, queries, w, pieces);
}

ChangeView Learner::ViewChange(const LearnerState& state) const {
  const Problem& p = *problem_;
  const ChangeState& change = state.change;
  ChangeView view;
  if (p.encoder.num_encoded() > 0) view.alarms.push_back({"inputs", change.inputs, ""});
  if (p.hypotheses.tracks() > 1) view.alarms.push_back({"noise", change.noise, ""});
  if (p.mixing.mixes()) view.alarms.push_back({"weights", change.weights, ""});
  for (AlarmView& alarm : view.alarms) {
    if (alarm.state.found.column < 0) continue;
    const auto column = static_cast<std::size_t>(alarm.state.found.column);
    alarm.column = p.encoder.ColumnNames(state.inputs)[column];
  }
  view.moves = p.mixing.mixes() || Drifts(p, 0);
  if (!view.moves) return view;
  Vector weights;
  PredictionWeights(p, state, 0, weights);
  view.drift = ViewDrift(p.hypotheses, weights, state.restarts, p.config.evaluation_window,
                         static_cast<double>(state.examples));
  return view;
}

std::vector<std::string> Learner::Labels(const LearnerState& state) const {
  return problem_->target_encoder.Labels(state.targets);
}

std::string Learner::EncodeState(const LearnerState& state) const {
  return prequel::EncodeState(*problem_, state);
}

absl::StatusOr<LearnerState> Learner::DecodeState(std::string_view bytes) const {
  return prequel::DecodeState(*problem_, bytes);
}

}  // namespace prequel
