#include "server/wire/evaluation.h"

namespace prequel::wire {

void ScoresToProto(const Scores& scores, v1::Scores* proto) {
  proto->set_examples(scores.examples);
  proto->set_nll(scores.nll);
  if (scores.rmse) proto->set_rmse(*scores.rmse);
  if (scores.mae) proto->set_mae(*scores.mae);
  if (scores.crps) proto->set_crps(*scores.crps);
  if (scores.coverage50) proto->set_coverage50(*scores.coverage50);
  if (scores.coverage90) proto->set_coverage90(*scores.coverage90);
  if (scores.coverage95) proto->set_coverage95(*scores.coverage95);
  if (scores.accuracy) proto->set_accuracy(*scores.accuracy);
  if (scores.brier) proto->set_brier(*scores.brier);
  if (scores.ece) proto->set_ece(*scores.ece);
}

void StepReportToProto(const StepReport& report, v1::StepReport* proto) {
  proto->set_rows(report.rows);
  proto->set_skipped_rows(report.skipped_rows);
  proto->set_passes(report.passes);
  proto->set_converged(report.converged);
  proto->set_residual(report.residual);
  proto->set_local_elbo(report.local_elbo);
  proto->set_kl(report.kl);
  proto->set_phase(report.phase);
}

void EvaluationToProto(const Learner& learner, const LearnerState& state,
                       v1::GetEvaluationResponse* proto) {
  // Before the first label is known there is nothing to average.
  const bool classes = !learner.Labels(state).empty();
  ScoresToProto(state.evaluation.cumulative.Average(classes), proto->mutable_cumulative());
  ScoresToProto(state.evaluation.window.Average(classes), proto->mutable_window());
  proto->set_window_length(learner.config().evaluation_window);
  proto->set_skipped_rows(state.evaluation.skipped_rows);
  proto->set_unscored_rows(state.evaluation.unscored_rows);
}

}  // namespace prequel::wire
