#include "server/wire/evaluation.h"

#include <string>

#include "server/wire/text.h"

namespace prequel::wire {

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
  proto->set_refused_rows(learned.refused.count);
  for (const RefusedRow& refused : learned.refused.first) {
    v1::RefusedRow* row = proto->add_first_refused_rows();
    row->set_row(refused.row);
    row->set_label(Readable(refused.label));
    row->set_reason(Readable(refused.reason));
  }
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

}  // namespace

void EvaluationToProto(const Learner& learner, const LearnerState& state,
                       v1::GetEvaluationResponse* proto) {
  ScoresToProto(state.evaluation.cumulative.Average(), proto->mutable_cumulative());
  ScoresToProto(state.evaluation.window.Average(), proto->mutable_window());
  proto->set_window_length(learner.config().evaluation_window);
  proto->set_skipped_rows(state.evaluation.skipped_rows);
  proto->set_unscored_rows(state.evaluation.unscored_rows);
  AddComparison("raw", state.evaluation.raw, proto);
  AddComparison("last", state.evaluation.last, proto);
  AddComparison("average", state.evaluation.average, proto);
}

}  // namespace prequel::wire
