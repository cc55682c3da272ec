// One model at one revision, taken out of its fold to be stored; and back.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/fold/model_fold.h"
#include "server/storage/catalogue.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// Immutable: whoever holds it needs no lock, and holds up nobody.
struct Capture {
  std::string model;
  ModelId id{};
  LogId log{};
  std::shared_ptr<const Learner> learner;
  Published current;
  FoldParts parts;
};

// CaptureOf encodes nothing: it copies the parts, and the state is shared.
Capture CaptureOf(const StoredModel& model, const ModelFold& fold);

// WriteCapture calls `write` with the bytes of a stored snapshot, in chunks of at most
// kMaxSnapshotChunk. An error of `write` ends the writing and is returned. Holds the state's bytes
// once.
absl::Status WriteCapture(const Capture& capture,
                          absl::FunctionRef<absl::Status(std::string_view chunk)> write);

// DecodeCapture reads what WriteCapture wrote, at offset 0 of a log. DATA_LOSS for damage,
// FAILED_PRECONDITION for a version or a configuration that is not this one, and for a section that
// is unknown.
absl::StatusOr<FoldPoint> DecodeCapture(std::string_view bytes, const Learner& learner);

// ReadCapture reads the snapshot `stored` from the store, at its offset of `log`; errors are those
// of DecodeCapture, and name model and offset.
absl::StatusOr<FoldPoint> ReadCapture(const SnapshotStore& store, const StoredSnapshot& stored,
                                      LogId log, const Learner& learner);

}  // namespace prequel
