// Read your writes: a query that waits until a model has come to a revision.
#pragma once

#include <grpcpp/alarm.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/functional/any_invocable.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"

namespace prequel {

// Calls `then` once `model` has come to `revision`; else finishes the call: with DEADLINE_EXCEEDED
// at its deadline or after kLongestWait, with what else keeps the model from being read. Looks
// again by a timer, so that no thread waits and learning does not know who does.
inline constexpr std::chrono::seconds kLongestWait{30};
void AwaitRevision(const Engine& engine, const UnaryCall& call, const std::string& model,
                   std::int64_t revision, absl::AnyInvocable<void()> then);

}  // namespace prequel
