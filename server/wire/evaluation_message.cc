#include "server/wire/evaluation_message.h"

#include <string>

#include "server/wire/text.h"

namespace prequel::wire {
namespace {

// Writes what was refused into a StepReport or BatchScores.
template <class Message>
void RefusedToProto(const RefusedRows& refused, Message* proto) {
  proto->set_refused_rows(refused.count);
  for (const RefusedRow& one : refused.first) {
    v1::RefusedRow* row = proto->add_first_refused_rows();
    row->set_row(one.row);
    row->set_label(Readable(one.label));
    row->set_reason(Readable(one.reason));
  }
}

}  // namespace

void ScoresToProto(const Scores& scores, v1::Scores* proto) {
  proto->set_examples(scores.examples);
  for (const NamedScore& score : scores) {
    v1::Score* out = proto->add_scores();
    out->set_name(std::string(score.name));
    out->set_value(score.value);
  }
}

void StepReportToProto(const Learned& learned, v1::StepReport* proto) {
  const StepReport& report = learned.report;
  proto->set_rows(report.rows);
  proto->set_skipped_rows(report.skipped_rows);
  proto->set_passes(report.passes);
  proto->set_converged(report.converged);
  proto->set_residual(report.residual);
  proto->set_local_elbo(report.local_elbo);
  proto->set_kl(report.kl);
  proto->set_phase(report.phase);
  proto->set_unseen_categories(learned.unseen_categories);
  RefusedToProto(learned.refused, proto);
}

void ScoredToProto(const Scored& scored, v1::BatchScores* proto) {
  ScoresToProto(scored.scores, proto->mutable_scores());
  proto->set_skipped_rows(scored.skipped_rows);
  proto->set_unscored_rows(scored.unscored_rows);
  proto->set_unseen_categories(scored.unseen_categories);
  RefusedToProto(scored.refused, proto);
}

namespace {

void AddComparison(const char* name, const Comparison& comparison,
                   v1::GetEvaluationResponse* proto) {
  if (!(comparison.cumulative.weight() > 0)) return;
  v1::Comparison* out = proto->add_comparisons();
  out->set_name(name);
  ScoresToProto(comparison.cumulative.Average(), out->mutable_cumulative());
  ScoresToProto(comparison.window.Average(), out->mutable_window());
}

void DriftToProto(const DriftView& drift, double window, v1::Drift* proto) {
  proto->set_rate(drift.rates.rate);
  proto->set_intercept_rate(drift.rates.intercept_rate);
  for (const DriftView::Belief& belief : drift.beliefs) {
    v1::BeliefWeight* out = proto->add_beliefs();
    out->set_rate(belief.rates.rate);
    out->set_intercept_rate(belief.rates.intercept_rate);
    out->set_since_restart(belief.since_restart);
    out->set_weight(belief.weight);
  }
  if (drift.tracks.size() > 1) {
    for (const DriftView::Track& track : drift.tracks) {
      v1::NoiseTrack* out = proto->add_noise_tracks();
      out->set_rate(track.rate);
      out->set_weight(track.weight);
    }
  }
  if (!drift.restarts) return;
  proto->mutable_restart()->set_probability(drift.restart_probability);
  proto->mutable_restart()->set_window(window);
  proto->mutable_restart()->set_run_length(drift.run_length);
}

void AlarmToProto(const AlarmView& alarm, v1::Alarm* proto) {
  const AlarmState& state = alarm.state;
  proto->set_cause(std::string(alarm.cause));
  proto->set_raised(state.raised);
  proto->set_revision(state.revision);
  proto->set_times(state.times);
  if (state.times == 0 || alarm.cause == "weights") return;
  proto->set_column(Readable(alarm.column));
  proto->set_moment(state.found.spread ? "deviation" : "mean");
  proto->set_before(state.found.before);
  proto->set_after(state.found.after);
}

}  // namespace

void EvaluationToProto(const Learner& learner, const LearnerState& state,
                       v1::GetEvaluationResponse* proto) {
  ScoresToProto(state.evaluation.cumulative.Average(), proto->mutable_cumulative());
  ScoresToProto(state.evaluation.window.Average(), proto->mutable_window());
  proto->set_window_length(learner.config().evaluation_window);
  proto->set_skipped_rows(state.evaluation.skipped_rows);
  proto->set_unscored_rows(state.evaluation.unscored_rows);
  proto->set_unseen_categories(state.evaluation.unseen_categories);
  AddComparison("raw", state.evaluation.raw, proto);
  AddComparison("last", state.evaluation.last, proto);
  AddComparison("average", state.evaluation.average, proto);
  AddComparison("static", state.evaluation.still, proto);
  const ChangeView change = learner.ViewChange(state);
  if (change.moves) {
    DriftToProto(change.drift, learner.config().evaluation_window, proto->mutable_drift());
  }
  for (const AlarmView& alarm : change.alarms) AlarmToProto(alarm, proto->add_alarms());
}

}  // namespace prequel::wire
