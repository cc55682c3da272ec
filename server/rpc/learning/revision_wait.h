// Read your writes: a query that waits until a model has come to a revision.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"

namespace prequel {

// Calls `then` once `model` has come to `revision`; else finishes the call: with DEADLINE_EXCEEDED
// at its deadline or after kLongestWait, with CANCELLED once its client has gone, with what else
// keeps the model from being read. Until then it is a subscription and a timer: nothing that costs
// anything.
inline constexpr std::chrono::seconds kLongestWait{30};
void AwaitRevision(const Engine& engine, const UnaryCall& call, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void()> then);

// The same for a call of another kind, whose client is not watched: `then` is told either.
void AwaitRevision(const Engine& engine, TimePoint deadline, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void(const absl::Status&)> then);

}  // namespace prequel
