#include "server/rpc/learning/learn_call.h"

#include <algorithm>
#include <utility>

#include "server/rpc/resource_name.h"
#include "server/wire/batch.h"
#include "server/wire/error.h"

namespace prequel {

absl::StatusOr<Origin> OriginFromProto(std::string_view request_id, std::string_view producer,
                                       std::int64_t sequence) {
  if (!request_id.empty() && !producer.empty()) {
    return FieldError("request_id", "must be left out when a producer is named");
  }
  if (producer.empty() && sequence != 0) {
    return FieldError("producer", "must be named with a sequence number");
  }
  if (!producer.empty() && sequence < 1) {
    return FieldError("sequence", "must be at least 1: a producer numbers its minibatches");
  }
  return Origin{std::string(producer.empty() ? request_id : producer), sequence};
}

absl::StatusOr<Submission> SubmissionFromProto(std::string_view name, const v1::Batch& batch,
                                               Origin origin, Index max_rows, TimePoint deadline) {
  absl::StatusOr<std::string> model = ModelIdOf(name);
  if (!model.ok()) return model.status();
  Submission submission;
  submission.model = *std::move(model);
  LearnRequest& request = submission.request;
  request.origin = std::move(origin);
  request.deadline = deadline;
  absl::StatusOr<Batch> converted = wire::BatchFromProto(batch, max_rows);
  if (converted.ok()) {
    request.batch = *std::move(converted);
    request.payload = batch.SerializeAsString();
  } else if (request.origin.numbered()) {
    request.refusal = converted.status();
  } else {
    return converted.status();
  }
  return submission;
}

std::int64_t RowsIn(const v1::Batch& batch, std::int64_t most) {
  // Of a model without numbers the inputs may say anything.
  std::int64_t rows = batch.text_size() > 0 ? batch.text(0).values_size() : 0;
  if (batch.inputs().shape_size() > 0) rows = std::max(rows, batch.inputs().shape(0));
  return std::clamp<std::int64_t>(rows, 0, most);
}

std::int64_t RowsOf(const LearnOutcome& outcome) {
  const Learned& learned = outcome.learned;
  return learned.report.rows + learned.report.skipped_rows + learned.refused.count;
}

}  // namespace prequel
