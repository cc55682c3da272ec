#include "server/wire/evaluation.h"

#include <string>

namespace prequel::wire {

void ScoresToProto(const Scores& scores, v1::Scores* proto) {
  proto->set_examples(scores.examples);
  for (const NamedScore& score : scores) {
    v1::Score* out = proto->add_scores();
    out->set_name(std::string(score.name));
    out->set_value(score.value);
  }
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
  ScoresToProto(state.evaluation.cumulative.Average(), proto->mutable_cumulative());
  ScoresToProto(state.evaluation.window.Average(), proto->mutable_window());
  proto->set_window_length(learner.config().evaluation_window);
  proto->set_skipped_rows(state.evaluation.skipped_rows);
  proto->set_unscored_rows(state.evaluation.unscored_rows);
}

}  // namespace prequel::wire
