#include "server/engine/capture.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "server/engine/ledger_codec.h"

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
  absl::Status status = in_chunks(capture.learner->EncodeState(*capture.snapshot.state));
  return status.ok() && !chunk.empty() ? write(chunk) : status;
}

absl::StatusOr<Restored> DecodeCapture(std::string_view bytes, const Learner& learner) {
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
  Restored restored;
  restored.ledger = *std::move(ledger);
  restored.snapshot.revision = state->revision;
  restored.snapshot.state = std::make_shared<const LearnerState>(*std::move(state));
  return restored;
}

absl::StatusOr<Restored> ReadCapture(const SnapshotStore& store, const StoredSnapshot& stored,
                                     const Learner& learner) {
  if (!stored.problem.ok()) return stored.problem;
  std::string bytes;
  bytes.reserve(std::min(stored.bytes, std::uint64_t{stored.chunks} * kMaxSnapshotChunk));
  const absl::Status read = store.ReadSnapshot(stored, [&bytes](std::string_view chunk) {
    bytes.append(chunk);
    return absl::OkStatus();
  });
  if (!read.ok()) return read;
  if (bytes.size() != stored.bytes) return Lost(stored, "truncated");
  absl::StatusOr<Restored> restored = DecodeCapture(bytes, learner);
  if (!restored.ok()) return Lost(stored, std::string(restored.status().message()));
  if (restored->snapshot.revision != stored.revision) return Lost(stored, "is of another revision");
  restored->snapshot.next_offset = stored.next_offset;
  return restored;
}

}  // namespace prequel
