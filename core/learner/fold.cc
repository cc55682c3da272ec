#include "core/learner/fold.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

#include "core/learner/answering.h"
#include "core/learner/fit.h"
#include "core/learner/noise.h"
#include "core/learner/prediction.h"
#include "core/scores/scoring.h"

namespace prequel {
namespace {

// Below this many examples every minibatch is encoded with its own rows counted in: one of B rows
// moves running means by up to B/n deviations, which only later stops to matter.
constexpr std::int64_t kSettledExamples = 1000;

// What the steps of one fold share.
struct Minibatch {
  const Problem& problem;
  const LearnerState& state;
  const Batch& asked;    // rows that are predicted
  const Batch& learned;  // of those the rows whose target is known
  Workspace& w;          // w.scored: where the learned rows stand among the asked ones
  LearnerState& next;
};

std::vector<Index>& FirstIndices(std::size_t count, std::vector<Index>& out) {
  out.resize(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<Index>(i);
  return out;
}

void CarryOver(const LearnerState& state, const StepReport& report, LearnerState& next) {
  next.common() = state.common();
  next.revision = state.revision + 1;
  next.examples = state.examples + report.rows;
  next.evaluation.skipped_rows += report.skipped_rows;
}

absl::Status TooExtreme() {
  return absl::InternalError(
      "the prediction of the minibatch is not finite: its inputs are too extreme for what the "
      "model has learned; it was rejected and the model is as it was");
}

// REQUIRES: the targets' labels have been absorbed, labels are classes however new they are.
absl::Status ScoreRows(const Minibatch& m, Tally& tally) {
  Workspace& w = m.w;
  if (!m.problem.target_encoder.HasScale(m.state.targets)) {
    m.next.evaluation.unscored_rows += m.learned.rows();
    return absl::OkStatus();
  }
  if (!w.predictive.IsFinite()) return TooExtreme();
  const bool classes = m.problem.classes();
  if (classes) m.problem.target_encoder.Encode(m.next.targets, m.learned, w.kept, w.outcomes);
  const Matrix& outcomes = classes ? w.outcomes : m.learned.targets;
  tally = ScoreExamples(w.predictive, w.scored, outcomes);
  if (m.state.beliefs.size() > 1) {
    w.predictive.LogDensities(w.scored, outcomes, w.log_densities);
  }
  return tally.HasNaN() ? TooExtreme() : absl::OkStatus();
}

// The learned rows as they are to be learned: encoded with themselves counted in, or as they were
// predicted.
void AbsorbRows(const Minibatch& m) {
  const Problem& problem = m.problem;
  Workspace& w = m.w;
  problem.encoder.Absorb(m.learned, m.next.inputs);
  problem.target_encoder.Encode(m.next.targets, m.learned, w.kept, w.targets);
  const bool moved =
      m.state.examples < kSettledExamples || m.next.inputs.tables != m.state.inputs.tables;
  const bool encoded_again = moved || &m.learned != &m.asked;
  if (encoded_again) {
    problem.encoder.Encode(moved ? m.next.inputs : m.state.inputs, m.learned, w.moved_inputs);
  }
  for (std::size_t k = 0; k < m.state.beliefs.size(); ++k) {
    BeliefWorkspace& belief = w.beliefs[k];
    FitNoise(problem, m.next.targets, m.state.beliefs[k].noise, belief.noise);
    if (!encoded_again) {
      belief.expansion.Retarget(w.targets, belief.noise);
      continue;
    }
    belief.expansion.Bind(problem.model, problem.likelihood, w.moved_inputs, w.targets,
                          belief.noise);
    belief.at_mean = belief.projected = false;
  }
}

absl::Status LearnNoise(const Minibatch& m, BeliefWorkspace& w, Belief& next) {
  if (next.noise.shape.size() == 0) return absl::OkStatus();
  std::visit([&](const auto& q) { w.expansion.Forward(q.mean); }, next.posterior);
  return LearnNoise(m.problem, m.w.targets, w.prior_logits, w.expansion.moments().mean, next.noise);
}

// `report` is of the belief of the greatest weight.
absl::Status FitBeliefs(const Minibatch& m, StepReport& report) {
  double greatest = -HUGE_VAL;
  for (std::size_t k = 0; k < m.state.beliefs.size(); ++k) {
    const Belief& belief = m.state.beliefs[k];
    Belief& next = m.next.beliefs[k];
    StepReport of_this = report;
    next.log_weight = belief.log_weight;
    next.noise = belief.noise;
    next.dynamics = belief.dynamics;
    absl::Status status =
        FitBelief(m.problem, m.state.revision, belief, m.w.beliefs[k], m.w, next, of_this);
    if (status.ok()) status = LearnNoise(m, m.w.beliefs[k], next);
    if (!status.ok()) return status;
    if (belief.log_weight <= greatest) continue;
    greatest = belief.log_weight;
    report = of_this;
  }
  return absl::OkStatus();
}

// w_k ∝ w_k Π_i p_k(y_i): Bayes' rule.
void Reweigh(const Minibatch& m, bool scored) {
  std::vector<Belief>& beliefs = m.next.beliefs;
  if (beliefs.size() == 1 || !scored) return;
  double greatest = -HUGE_VAL;
  for (std::size_t k = 0; k < beliefs.size(); ++k) {
    beliefs[k].log_weight += m.w.log_densities.row(static_cast<Index>(k)).sum();
    greatest = std::max(greatest, beliefs[k].log_weight);
  }
  double sum = 0;
  for (const Belief& belief : beliefs) sum += std::exp(belief.log_weight - greatest);
  for (Belief& belief : beliefs) belief.log_weight -= greatest + std::log(sum);
}

absl::Status LearnRows(const Minibatch& m, Learned& learned) {
  const Problem& problem = m.problem;
  absl::Status status = problem.target_encoder.Absorb(m.learned, m.w.kept, m.next.targets);
  if (!status.ok()) return status;
  Tally tally(m.state.evaluation.cumulative.kind());
  if (status = ScoreRows(m, tally); !status.ok()) return status;
  AbsorbRows(m);
  m.next.beliefs.resize(m.state.beliefs.size());
  if (status = FitBeliefs(m, learned.report); !status.ok()) return status;
  Reweigh(m, tally.weight() > 0);
  m.next.evaluation.Absorb(tally, problem.config.evaluation_window);
  learned.scores = tally.Average();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Learned> Fold(const Problem& problem, const LearnerState& state, const Batch& batch,
                             Workspace& w, LearnerState& next, const Answering* answering) {
  problem.target_encoder.Select(batch, w.known);
  const auto known = static_cast<Index>(w.known.size());
  const bool all_known = known == batch.rows();
  if (!all_known) SelectRows(batch, w.known, w.selected);
  const Batch& learned_rows = all_known ? batch : w.selected;
  // By more draws than are scored, an answer is a prediction of its own.
  const bool apart = answering != nullptr && answering->queries.samples() > 0;
  const bool answers = answering != nullptr && !apart;
  const Batch& asked = answers ? batch : learned_rows;
  FirstIndices(w.known.size(), w.kept);
  w.scored = &asked == &batch ? w.known : w.kept;

  Learned learned;
  learned.report.rows = known;
  learned.report.skipped_rows = batch.rows() - known;
  CarryOver(state, learned.report, next);
  if (apart) {
    absl::StatusOr<Answer> before = AnswerBatch(problem, state, batch, answering->queries, w);
    if (!before.ok()) return before.status();
    answering->out = *std::move(before);
  }
  if (asked.rows() > 0) {
    problem.encoder.Encode(state.inputs, asked, w.inputs);
    absl::Status status = PredictRows(problem, state, w.inputs, batch.rows(), 0, w);
    if (status.ok() && answers) status = AnswerRows(problem, state, *answering, w);
    if (!status.ok()) return status;
  }
  if (known == 0) {
    next.beliefs = state.beliefs;
    return learned;
  }
  const absl::Status status = LearnRows({problem, state, asked, learned_rows, w, next}, learned);
  if (!status.ok()) return status;
  return learned;
}

}  // namespace prequel
