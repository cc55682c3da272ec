// Minibatches from the wire.
#pragma once

#include <limits>
#include <string_view>

#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "prequel/v1/batch.pb.h"

namespace prequel::wire {

inline constexpr Index kAnyRows = std::numeric_limits<Index>::max();

// INVALID_ARGUMENT names the field ("batch.inputs.shape"). Whether the parts agree with each other
// and with a model is Learner::CheckBatch's to say.
absl::StatusOr<Batch> BatchFromProto(const v1::Batch& proto, Index max_rows);

// BatchFromBytes is BatchFromProto for serialized bytes. DATA_LOSS when they are no v1.Batch.
absl::StatusOr<Batch> BatchFromBytes(std::string_view bytes);

}  // namespace prequel::wire
