// The conversions that Learn, LearnStream and PredictThenLearn share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "prequel/v1/batch.pb.h"
#include "server/engine/learn.h"
#include "server/wire/evaluation.h"

namespace prequel {

struct Submission {
  std::string model;
  LearnRequest request;
};

// The origin of a unary request. INVALID_ARGUMENT unless it has a request id, or a producer and a
// sequence number, or neither.
absl::StatusOr<Origin> OriginFromProto(std::string_view request_id, std::string_view producer,
                                       std::int64_t sequence);

// A numbered batch that is malformed becomes a submission with a refusal.
absl::StatusOr<Submission> SubmissionFromProto(std::string_view name, const v1::Batch& batch,
                                               Origin origin, Index max_rows, TimePoint deadline);

// The rows that a minibatch says it has, before anybody has looked whether it is whole; `most` when
// it says more, which is refused.
std::int64_t RowsIn(const v1::Batch& batch, std::int64_t most);

// The rows of the minibatch that it is the answer to.
std::int64_t RowsOf(const LearnOutcome& outcome);

// A LearnResponse, or what a PredictThenLearnResponse shares with it.
template <class Response>
void LearnedToProto(const LearnOutcome& outcome, Response* response) {
  response->set_revision(outcome.revision);
  response->set_repeated(outcome.repeated);
  wire::ScoresToProto(outcome.learned.scores, response->mutable_scores());
  wire::StepReportToProto(outcome.learned, response->mutable_report());
}

}  // namespace prequel
