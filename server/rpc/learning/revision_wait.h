// Read your writes: a query that waits until a model has come to a revision.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/functional/any_invocable.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"

namespace prequel {

// AwaitRevision calls `then` once `model` has come to `revision`; else it finishes the call: with
// DEADLINE_EXCEEDED at its deadline or after kLongestWait, with CANCELLED once its client has gone,
// with the model's problem when it cannot be read. While it waits it is a subscription and a timer,
// which cost nothing.
inline constexpr std::chrono::seconds kLongestWait{30};
void AwaitRevision(const Engine& engine, const UnaryCall& call, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void()> then);

// This overload is for a call of another kind, whose client is not watched: `then` is given OK or
// the error.
void AwaitRevision(const Engine& engine, TimePoint deadline, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void(const absl::Status&)> then);

}  // namespace prequel
