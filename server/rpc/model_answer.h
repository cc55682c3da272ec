// What the model service answers.
#pragma once

#include <cstdint>
#include <optional>

#include "prequel/v1/model_service.pb.h"
#include "server/engine/engine.h"

namespace prequel {

void InfoToProto(const ModelInfo& info, v1::Model* model);
void SnapshotToProto(const StoredSnapshot& stored, v1::Snapshot* snapshot);

// The revision that a request asks for, if it does.
template <class Request>
std::optional<std::int64_t> RevisionOf(const Request& request) {
  if (!request.has_revision()) return std::nullopt;
  return request.revision();
}

}  // namespace prequel
