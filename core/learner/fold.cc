#include "core/learner/fold.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/learner/answering.h"
#include "core/learner/carrying/new_units.h"
#include "core/learner/carrying/prior_scales.h"
#include "core/learner/doubting/logit_doubts.h"
#include "core/learner/drifting/in_turn.h"
#include "core/learner/drifting/steps.h"
#include "core/learner/fit.h"
#include "core/learner/judging.h"
#include "core/learner/noise.h"
#include "core/learner/prediction.h"
#include "core/learner/reweighing.h"
#include "core/learner/weighing.h"

namespace prequel {
namespace {

// Shared is what the steps of one fold share.
struct Shared {
  const Problem& problem;
  const LearnerState& state;
  const Batch& rows;  // of the minibatch those whose target is known and not refused
  Workspace& w;
  LearnerState& next;
  Place place;                             // of all these rows
  const std::vector<Belief>* beliefs;      // what is known before them, in the units of `next`
  const Matrix* learned_inputs = nullptr;  // encoded as they are to be learned
  const InputDoubts* learned_doubts = nullptr;
};

void FirstIndices(std::size_t count, std::vector<Index>& out) {
  out.resize(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Index>(i);
}

// ChooseRows chooses the rows to be learned, w.known, by what the labels have become in `next`. A
// row that counts 0 times is passed over, as one without a target.
void ChooseRows(const Problem& problem, const Batch& batch, Workspace& w, LearnerState& next,
                Learned& learned) {
  problem.target_encoder.Meet(batch, next.targets);
  problem.target_encoder.Select(next.targets, batch, w.known, learned.refused);
  if (batch.weights.size() > 0) {
    std::erase_if(w.known, [&](Index i) { return batch.weights[i] == 0; });
  }
  learned.report.rows = static_cast<Index>(w.known.size());
  learned.report.skipped_rows = batch.rows() - learned.report.rows - learned.refused.count;
  next.examples += learned.report.rows;
  next.evaluation.skipped_rows += learned.report.skipped_rows;
}

// PassTime writes how much time passes up to each of the rows, where they say when they happened.
absl::Status PassTime(const LearnerState& state, const Batch& rows, Workspace& w,
                      LearnerState& next, Place& place) {
  if (rows.times.size() == 0) return absl::OkStatus();
  absl::Status status = PassedInTurn(state.times, rows.times, w.passed);
  if (!status.ok()) return status;
  AbsorbTimes(rows.times, next.times);
  place.passed = &w.passed;
  return status;
}

absl::Status TooExtreme() {
  return absl::InternalError(
      "the prediction of the minibatch is not finite: its inputs are too extreme for what the "
      "model has learned; it was rejected and the model is as it was");
}

// WeighDensities: what a row says of which belief is right counts as the row does.
void WeighDensities(const Vector& weights, Matrix& log_densities) {
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0) {
      log_densities.col(i) *= weights[i];
    } else {
      log_densities.col(i).setZero();
    }
  }
}

// AbsorbTargets adds the targets to what is known of their scale: as they are held, for a model
// that weighs rows.
void AbsorbTargets(const Shared& m) {
  const Problem& problem = m.problem;
  const bool weighs = problem.weighs_rows() && problem.target_encoder.HasScale(m.state.targets);
  if (weighs) WeighOutcomes(problem, m.rows.targets, m.w);
  problem.target_encoder.Absorb(weighs ? m.w.held : m.rows, m.w.kept, m.next.targets,
                                problem.config.standardize_window, problem.config.input_clip);
}

// ScoreRows scores labels as classes however new they are.
absl::Status ScoreRows(const Shared& m, Judgement& judgement) {
  Workspace& w = m.w;
  const bool classes = m.problem.classes();
  if (classes) m.problem.target_encoder.Encode(m.next.targets, m.rows, w.kept, w.outcomes);
  const Matrix& outcomes = classes ? w.outcomes : m.rows.targets;
  if (!m.rows.learned_before) m.problem.references().Absorb(outcomes, m.next.references);
  if (m.rows.learned_before || !m.problem.target_encoder.HasScale(m.state.targets)) {
    m.next.evaluation.unscored_rows += m.rows.rows();
    return absl::OkStatus();
  }
  if (!w.predictive.IsFinite()) return TooExtreme();
  if (m.state.beliefs.size() > 1 || m.problem.mixing.mixes()) {
    w.predictive.LogDensities(outcomes, w.log_densities);
    if (m.problem.weighs_rows()) WeighDensities(w.row_weights, w.log_densities);
    if (m.rows.weights.size() > 0) WeighDensities(m.rows.weights, w.log_densities);
  }
  JudgeRows(m.problem, m.state, outcomes, m.rows.weights, w, m.next, judgement);
  return judgement.served.HasNaN() ? TooExtreme() : absl::OkStatus();
}

// StandOnCarried makes the prior of a belief that learns the rows at once, in the new units.
void StandOnCarried(const Shared& m, std::size_t k) {
  BeliefWorkspace& belief = m.w.beliefs[k];
  const Posterior& posterior = (*m.beliefs)[k].posterior;
  belief.prior = &posterior;
  if (Drifts(m.problem, k)) {
    DriftTo(m.problem, posterior, k, m.place.time(), m.w.dynamics, belief);
  }
}

// AbsorbRows makes the rows as they are to be learned: as they were predicted, or anew where they
// have moved the units or brought categories.
absl::Status AbsorbRows(Shared& m) {
  const Problem& problem = m.problem;
  Workspace& w = m.w;
  problem.encoder.Absorb(m.rows, m.next.inputs, problem.config.standardize_window);
  const bool new_units = MoveUnits(problem, m.state, w, m.next);
  const bool new_scales = FindPriorScales(problem, m.state, m.next.examples, w);
  const bool carries = (new_units || new_scales) && CarriesOver(problem, m.state);
  if (carries) {
    absl::Status status = CarryBeliefs(problem, m.state, w);
    if (!status.ok()) return status;
    m.beliefs = &w.units.beliefs;
  }
  problem.target_encoder.Encode(m.next.targets, m.rows, w.kept, w.targets);
  const bool moved = new_units || carries || m.next.inputs.tables != m.state.inputs.tables;
  if (moved) {
    problem.encoder.Encode(m.next.inputs, m.rows, w.moved_inputs, w.moved_doubts);
  }
  m.learned_inputs = moved ? &w.moved_inputs : &w.inputs;
  m.learned_doubts = moved ? &w.moved_doubts : &w.doubts;
  if (moved && w.in_turn.used) DesignRows(problem, w.moved_inputs, w);
  for (std::size_t k = 0; k < m.beliefs->size(); ++k) {
    if (LearnsInTurn(problem, k) || LearnsInSteps(problem, k, m.rows.rows())) continue;
    BeliefWorkspace& belief = w.beliefs[k];
    FitNoise(problem, m.next.targets, (*m.beliefs)[k].noise, belief.noise);
    if (carries) StandOnCarried(m, k);
    if (!moved) {
      belief.expansion.Retarget(w.targets, belief.noise);
      continue;
    }
    belief.expansion.Bind(problem.model, problem.likelihood, w.moved_inputs, w.targets,
                          belief.noise);
    belief.at_mean = belief.projected = false;
  }
  return absl::OkStatus();
}

// Begin lets belief k, a run, begin anew, since what the prior predicted of the rows served better:
// with what is known of the noise's level, by which it is to learn the rows.
void Begin(const Shared& m, std::size_t k, Belief& next) {
  BeliefWorkspace& run = m.w.beliefs[k];
  run.prior = &m.problem.PriorOf(static_cast<Index>(k)).initial;
  run.at_mean = run.projected = false;
  next.prior_scales.resize(0);
  FreshNoiseAt(m.problem, (*m.beliefs)[BelievedRun(m.problem, m.state)].noise, next.noise);
  FitNoise(m.problem, m.next.targets, next.noise, run.noise);
}

// LearnNoiseOf: `targets` are of what the expansion is bound to.
absl::Status LearnNoiseOf(const Problem& problem, const Matrix& targets, BeliefWorkspace& w,
                          Belief& next) {
  if (next.noise.shape.size() == 0) return absl::OkStatus();
  const bool at_mean = MatchedTo(problem, next.rule).kind == MatchedPredictive::Kind::kMean;
  if (problem.noise().learned_dispersion() && !at_mean) {
    if (absl::Status status = StandAt(next.posterior, w); !status.ok()) return status;
  } else {
    std::visit([&](const auto& q) { w.expansion.Forward(q.mean); }, next.posterior);
    if (at_mean) w.expansion.moments().covariance.resize(problem.num_logits(), 0);
  }
  return LearnAllNoise(problem, targets, w.prior_logits, w.expansion.moments(),
                       NoiseWeights(problem, w), w.sure, next);
}

// FitInSteps: a belief that drifts learns the rows of each step in turn, as minibatches of their
// own.
absl::Status FitInSteps(const Shared& m, std::size_t k, Belief& next, StepReport& report) {
  const Problem& problem = m.problem;
  const Belief& belief = (*m.beliefs)[k];
  BeliefWorkspace& w = m.w.beliefs[k];
  const Matrix& inputs = *m.learned_inputs;
  const Index rows = inputs.cols();
  const Index steps = NumSteps(problem, rows);
  report.local_elbo = report.kl = 0;
  double drifted = 0;
  for (Index s = 0; s < steps; ++s) {
    const Step step = StepOf(rows, steps, s);
    const double end = m.place.Until(step.first + step.count - 1);
    if (s == 0) {
      DriftTo(problem, belief.posterior, k, end, m.w.dynamics, w);
    } else {
      std::swap(w.moved, next.posterior);
      DriftOn(problem, k, end - drifted, m.w.dynamics, w);
    }
    drifted = end;
    w.step_inputs = inputs.middleCols(step.first, step.count);
    w.step_targets = m.w.targets.middleCols(step.first, step.count);
    if (w.sure != nullptr) {
      w.step_sureness = w.sureness.segment(step.first, step.count);
      w.sure = &w.step_sureness;
    }
    if (w.counts != nullptr) {
      w.step_counts = m.rows.weights.segment(step.first, step.count);
      w.counts = &w.step_counts;
    }
    ForgetDispersion(problem, k, static_cast<double>(step.count), next.noise);
    FitNoise(problem, m.next.targets, next.noise, w.noise);
    w.expansion.Bind(problem.model, problem.likelihood, w.step_inputs, w.step_targets, w.noise);
    w.at_mean = w.projected = false;
    StepReport of_step;
    absl::Status status = FitBelief(problem, m.state.revision, belief, k, m.w, next, of_step);
    if (status.ok()) status = LearnNoiseOf(problem, w.step_targets, w, next);
    if (!status.ok()) return status;
    AddReport(of_step, report);
  }
  return absl::OkStatus();
}

absl::Status FitAtOnce(const Shared& m, std::size_t k, Belief& next, StepReport& report) {
  BeliefWorkspace& w = m.w.beliefs[k];
  ForgetDispersion(m.problem, k, static_cast<double>(m.rows.rows()), next.noise);
  absl::Status status =
      FitBelief(m.problem, m.state.revision, (*m.beliefs)[k], k, m.w, next, report);
  return status.ok() ? LearnNoiseOf(m.problem, m.w.targets, w, next) : status;
}

// FitOne fits row by row, in steps or at once, by whether and how belief k drifts.
absl::Status FitOne(const Shared& m, std::size_t k, Belief& next, StepReport& report) {
  if (LearnsInTurn(m.problem, k)) {
    return FitInTurn(m.problem, m.next.targets, m.w.targets, m.place, (*m.beliefs)[k], k, m.w, next,
                     report);
  }
  return LearnsInSteps(m.problem, k, m.rows.rows()) ? FitInSteps(m, k, next, report)
                                                    : FitAtOnce(m, k, next, report);
}

// FitBeliefs lets belief `begun` begin anew, unless it is −1. `report` is of the belief of the
// greatest weight.
absl::Status FitBeliefs(const Shared& m, Index begun, StepReport& report) {
  double greatest = -HUGE_VAL;
  for (std::size_t k = 0; k < m.beliefs->size(); ++k) {
    const Belief& belief = (*m.beliefs)[k];
    Belief& next = m.next.beliefs[k];
    StepReport of_this = report;
    next.noise = belief.noise;
    next.tracks = belief.tracks;
    next.dynamics = belief.dynamics;
    next.prior_scales = belief.prior_scales;
    if (static_cast<Index>(k) == begun) Begin(m, k, next);
    const Vector& mean =
        static_cast<Index>(k) == begun ? m.problem.prior_mean : MeanOf(belief.posterior);
    WeighDoubts(m.problem, m.next.targets, mean, next.noise, *m.learned_inputs, *m.learned_doubts,
                m.w.doubting, m.w.beliefs[k]);
    m.w.beliefs[k].counts = m.rows.weights.size() > 0 ? &m.rows.weights : nullptr;
    if (absl::Status status = FitOne(m, k, next, of_this); !status.ok()) return status;
    if (belief.log_weight <= greatest) continue;
    greatest = belief.log_weight;
    report = of_this;
  }
  return absl::OkStatus();
}

absl::Status LearnRows(Shared m, Learned& learned) {
  const Problem& problem = m.problem;
  AbsorbTargets(m);
  Judgement judgement(m.state.evaluation.cumulative.kind());
  absl::Status status = ScoreRows(m, judgement);
  if (!status.ok()) return status;
  status = AbsorbRows(m);
  if (!status.ok()) return status;
  m.next.beliefs.resize(m.state.beliefs.size());
  for (std::size_t k = 0; k < m.state.beliefs.size(); ++k) {
    m.next.beliefs[k].log_weight = m.state.beliefs[k].log_weight;
  }
  Index begun = -1;
  const bool weighed =
      (m.state.beliefs.size() > 1 || problem.mixing.mixes()) && judgement.served.weight() > 0;
  if (weighed && !Reweigh(problem, m.place.time(), m.w.log_densities, m.w.mixing, m.next, begun)) {
    return TooExtreme();
  }
  if (status = FitBeliefs(m, begun, learned.report); !status.ok()) return status;
  if (!m.rows.learned_before) WatchRows(problem, m.state, m.rows, weighed, m.w, m.next);
  m.next.evaluation.Absorb(judgement, problem.config.evaluation_window);
  learned.scores = judgement.served.Average();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Learned> FoldMinibatch(const Problem& problem, const LearnerState& state,
                                      const Batch& batch, Workspace& w, LearnerState& next,
                                      const Answering* answering) {
  next.common() = state.common();
  next.mixing = state.mixing;
  next.calibration = state.calibration;
  next.references = state.references;
  next.restarts = state.restarts;
  next.revision = state.revision + 1;
  Learned learned;
  ChooseRows(problem, batch, w, next, learned);
  const Index known = learned.report.rows;
  const bool all_known = known == batch.rows();
  if (!all_known) SelectRows(batch, w.known, w.selected);
  const Batch& rows = all_known ? batch : w.selected;
  FirstIndices(w.known.size(), w.kept);

  // What is scored is the same whether it is answered or not. So an answer by more draws, or of
  // more rows, is a prediction of its own; and one that fails leaves the fold as it is.
  const bool apart = answering != nullptr && (answering->queries.samples() > 0 || !all_known);
  if (apart) {
    absl::StatusOr<Answer> answer =
        AnswerBatch(problem, state, batch, answering->queries, Asking::kInTurn, w);
    answering->out = answer.ok() ? *std::move(answer) : Answer();
  }
  if (known == 0) {
    next.beliefs = state.beliefs;
    return learned;
  }
  const Index unseen = problem.encoder.Encode(state.inputs, rows, w.inputs, w.doubts);
  if (state.examples > 0) learned.unseen_categories = unseen;  // to the first rows all are new
  next.evaluation.unseen_categories += learned.unseen_categories;
  Place place{0, known};
  absl::Status status = PassTime(state, rows, w, next, place);
  if (!status.ok()) return status;
  status = PredictRows(problem, state, w.inputs, place, {}, w);
  if (!status.ok()) return status;
  if (answering != nullptr && !apart) AnswerRows(problem, state, *answering, w);
  status = LearnRows({problem, state, rows, w, next, place, &state.beliefs}, learned);
  if (!status.ok()) return status;
  return learned;
}

}  // namespace prequel
