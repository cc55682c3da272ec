// What the model service answers, and what it counts.
#pragma once

#include <cstdint>
#include <optional>

#include "prequel/v1/model_service.pb.h"
#include "server/engine/engine.h"
#include "server/rpc/call.h"

namespace prequel {

void InfoToProto(const ModelInfo& info, v1::Model* model);
// Takes one more model of the caller's quota; RESOURCE_EXHAUSTED when there are enough.
absl::Status TakeModel(const Call& call, const Engine& engine);
void SnapshotToProto(const StoredSnapshot& stored, v1::Snapshot* snapshot);

// The revision that a request asks for, if it does.
template <class Request>
std::optional<std::int64_t> RevisionOf(const Request& request) {
  if (!request.has_revision()) return std::nullopt;
  return request.revision();
}

}  // namespace prequel
