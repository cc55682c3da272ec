#include "server/rpc/learn_call.h"

#include <utility>

#include "server/rpc/resource_name.h"
#include "server/wire/batch.h"
#include "server/wire/evaluation.h"

namespace prequel {

absl::StatusOr<Submission> SubmissionFromProto(std::string_view name, const v1::Batch& batch,
                                               Index max_rows, TimePoint deadline) {
  absl::StatusOr<std::string> model = ModelIdOf(name);
  if (!model.ok()) return model.status();
  absl::StatusOr<Batch> converted = wire::BatchFromProto(batch, max_rows);
  if (!converted.ok()) return converted.status();
  Submission submission;
  submission.model = *std::move(model);
  submission.request.batch = *std::move(converted);
  submission.request.record = batch.SerializeAsString();
  submission.request.deadline = deadline;
  return submission;
}

void LearnedToProto(const LearnOutcome& outcome, v1::LearnResponse* response) {
  response->set_revision(outcome.revision);
  wire::ScoresToProto(outcome.learned.scores, response->mutable_scores());
  wire::StepReportToProto(outcome.learned.report, response->mutable_report());
}

}  // namespace prequel
