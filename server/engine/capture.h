// One model at one revision, taken out of its actor to be stored; and back.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/learner/learner.h"
#include "server/engine/ledger.h"
#include "server/engine/snapshot.h"
#include "server/storage/snapshot_store.h"

namespace prequel {

// Immutable: whoever holds it needs no lock, and holds up nobody.
struct Capture {
  std::string model;
  ModelId id{};
  LogId log{};
  std::shared_ptr<const Learner> learner;
  Snapshot snapshot;
  std::string ledger;  // EncodeLedger
};

// Calls `write` with the bytes of a stored snapshot, in chunks of at most kMaxSnapshotChunk. An
// error of `write` ends the writing and is returned. Holds the state's bytes once.
absl::Status WriteCapture(const Capture& capture,
                          absl::FunctionRef<absl::Status(std::string_view chunk)> write);

// What replay goes on from.
struct Restored {
  Snapshot snapshot;
  Ledger ledger;
};

// What WriteCapture wrote, at offset 0 of a log. DATA_LOSS for damage, FAILED_PRECONDITION for a
// version or a configuration that is not this one.
absl::StatusOr<Restored> DecodeCapture(std::string_view bytes, const Learner& learner);

// The same from the store; errors name model and offset.
absl::StatusOr<Restored> ReadCapture(const SnapshotStore& store, const StoredSnapshot& stored,
                                     const Learner& learner);

}  // namespace prequel
