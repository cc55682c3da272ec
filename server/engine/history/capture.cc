#include "server/engine/history/capture.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/learner/learner_state.h"
#include "server/engine/fold/ledger_codec.h"

namespace prequel {
namespace {

constexpr std::uint32_t kVersion = 1;

// version (u32) | length of the ledger (u64)
constexpr std::size_t kHead = 4 + 8;

// So little that a synced write which has to wait for it hardly waits, and that most captures are
// one chunk.
constexpr std::size_t kChunk = std::size_t{256} << 10;
static_assert(kChunk <= kMaxSnapshotChunk);

absl::Status Lost(const StoredSnapshot& stored, const std::string& what) {
  return absl::DataLossError(absl::StrCat("model ", NumberOf(stored.model), ", snapshot at offset ",
                                          stored.next_offset, ": ", what));
}

}  // namespace

Capture CaptureOf(const StoredModel& model, const ModelFold& fold) {
  return {.model = model.name,
          .id = model.id,
          .log = model.log,
          .learner = fold.learner(),
          .current = fold.current(),
          .ledger = EncodeLedger(fold.ledger())};
}

absl::Status WriteCapture(const Capture& capture,
                          absl::FunctionRef<absl::Status(std::string_view chunk)> write) {
  std::string chunk;
  const auto in_chunks = [&](std::string_view bytes) {
    absl::Status status;
    while (status.ok() && !bytes.empty()) {
      const std::string_view part = bytes.substr(0, kChunk - chunk.size());
      chunk.append(part);
      bytes.remove_prefix(part.size());
      if (chunk.size() < kChunk) break;
      status = write(chunk);
      chunk.clear();
    }
    return status;
  };
  const std::uint64_t length = capture.ledger.size();
  std::string head(kHead, '\0');
  std::memcpy(head.data(), &kVersion, sizeof(kVersion));
  std::memcpy(head.data() + sizeof(kVersion), &length, sizeof(length));
  if (absl::Status status = in_chunks(head + capture.ledger); !status.ok()) return status;
  absl::Status status = in_chunks(capture.learner->EncodeState(*capture.current.state));
  return status.ok() && !chunk.empty() ? write(chunk) : status;
}

absl::StatusOr<FoldPoint> DecodeCapture(std::string_view bytes, const Learner& learner) {
  if (bytes.size() < kHead) return absl::DataLossError("truncated");
  std::uint32_t version = 0;
  std::uint64_t length = 0;
  std::memcpy(&version, bytes.data(), sizeof(version));
  std::memcpy(&length, bytes.data() + sizeof(version), sizeof(length));
  if (version != kVersion) {
    return absl::FailedPreconditionError(absl::StrCat("unknown version ", version));
  }
  const std::string_view body = bytes.substr(kHead);
  if (length > body.size()) return absl::DataLossError("malformed ledger");
  absl::StatusOr<Ledger> ledger = DecodeLedger(body.substr(0, length));
  if (!ledger.ok()) return ledger.status();
  absl::StatusOr<LearnerState> state = learner.DecodeState(body.substr(length));
  if (!state.ok()) return state.status();
  FoldPoint point;
  point.ledger = *std::move(ledger);
  point.current.revision = state->revision;
  point.current.state = std::make_shared<const LearnerState>(*std::move(state));
  return point;
}

absl::StatusOr<FoldPoint> ReadCapture(const SnapshotStore& store, const StoredSnapshot& stored,
                                      LogId log, const Learner& learner) {
  if (!stored.problem.ok()) return stored.problem;
  if (stored.log != log) return Lost(stored, "is of another log");
  std::string bytes;
  bytes.reserve(std::min(stored.bytes, std::uint64_t{stored.chunks} * kMaxSnapshotChunk));
  const absl::Status read = store.ReadSnapshot(stored, [&bytes](std::string_view chunk) {
    bytes.append(chunk);
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  if (bytes.size() != stored.bytes) return Lost(stored, "truncated");
  absl::StatusOr<FoldPoint> point = DecodeCapture(bytes, learner);
  if (!point.ok()) return Lost(stored, std::string(point.status().message()));
  if (point->current.revision != stored.revision) return Lost(stored, "is of another revision");
  point->current.next_offset = stored.next_offset;
  return point;
}

}  // namespace prequel
