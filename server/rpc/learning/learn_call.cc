#include "server/rpc/learning/learn_call.h"

#include <algorithm>
#include <utility>

#include "server/wire/batch_message.h"
#include "server/wire/error_message.h"

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

absl::StatusOr<Delivery> DeliveryFromProto(const v1::Batch& batch, Origin origin, Index max_rows,
                                           TimePoint deadline) {
  absl::StatusOr<Batch> converted = wire::BatchFromProto(batch, max_rows);
  if (!converted.ok() && !origin.numbered()) return converted.status();
  Delivery delivery{.origin = std::move(origin), .deadline = deadline};
  if (converted.ok()) {
    delivery.record = Minibatch{*std::move(converted), batch.SerializeAsString()};
  } else {
    delivery.record = Refusal{converted.status()};
  }
  return delivery;
}

RowsAsked RowsIn(const v1::Batch& batch, Index most) {
  // The inputs of a model that has no numeric features may have any shape, so texts are looked at,
  // too.
  Index rows = batch.text_size() > 0 ? batch.text(0).values_size() : 0;
  if (batch.inputs().shape_size() > 0) rows = std::max<Index>(rows, batch.inputs().shape(0));
  return {.count = std::clamp<Index>(rows, 0, most), .timed = batch.has_times()};
}

std::int64_t RowsOf(const LearnOutcome& outcome) {
  const Learned& learned = outcome.learned;
  return learned.report.rows + learned.report.skipped_rows + learned.refused.count;
}

}  // namespace prequel
