// Questions that are answered on behalf of a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "server/engine/engine.h"
#include "server/engine/question.h"
#include "server/engine/still_wanted.h"
#include "server/rpc/call.h"

namespace prequel {

// A request of more takes long to be read, whatever it asks.
inline constexpr std::size_t kLongBytes = 1 << 20;

// Engine::Answer, and the rows of the batch counted. Takes kCopiesOfAnswer times question.bytes of
// the memory for what is in flight: whoever makes a message of the answer gives them back by
// CountMemory, for from then on the message is counted.
absl::StatusOr<PredictOutcome> AnswerFor(const Call& call, const Engine& engine,
                                         const Question& question, const Batch& batch,
                                         std::optional<std::int64_t> revision,
                                         const StillWanted& proceed);

}  // namespace prequel
