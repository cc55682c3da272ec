// The conversions that Learn, LearnStream, PredictThenLearn and Predict share.
#pragma once

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "prequel/v1/batch.pb.h"
#include "server/engine/commit/delivery.h"
#include "server/engine/question.h"
#include "server/wire/evaluation_message.h"

namespace prequel {

// The origin of a unary request. INVALID_ARGUMENT unless it has a request id, or a producer and a
// sequence number, or neither.
absl::StatusOr<Origin> OriginFromProto(std::string_view request_id, std::string_view producer,
                                       std::int64_t sequence);

// The minibatch on its way; a numbered one that is malformed becomes its refusal.
absl::StatusOr<Delivery> DeliveryFromProto(const v1::Batch& batch, Origin origin, Index max_rows,
                                           TimePoint deadline);

// The rows that a batch says it has, before anybody has looked whether it is whole; `most` when it
// says more, which is refused.
RowsAsked RowsIn(const v1::Batch& batch, Index most);

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
