#include "server/engine/history/capture.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/config/field_error.h"
#include "core/learner/learner_state.h"
#include "server/storage/bytes.h"

namespace prequel {
namespace {

constexpr std::uint32_t kCaptureVersion = 1;

constexpr std::string_view kState = "state";

// So little that a synced write which has to wait for it hardly waits, and that most captures are
// one chunk.
constexpr std::size_t kChunk = std::size_t{256} << 10;
static_assert(kChunk <= kMaxSnapshotChunk);

absl::Status Lost(const StoredSnapshot& stored, const std::string& what) {
  return absl::DataLossError(absl::StrCat("model ", NumberOf(stored.model), ", snapshot at offset ",
                                          stored.next_offset, ": ", what));
}

// length of the name (u8) | name | length of what follows (u64)
std::string SectionHead(std::string_view name, std::size_t length) {
  std::string head(1, static_cast<char>(name.size()));
  head.append(name);
  AppendInteger(std::uint64_t{length}, &head);
  return head;
}

struct Section {
  std::string_view name, bytes;
};

// TakeSection takes the first section off `bytes`; nothing where they end before it does.
std::optional<Section> TakeSection(std::string_view& bytes) {
  const std::size_t name = static_cast<unsigned char>(bytes[0]);
  const std::size_t head = 1 + name + sizeof(std::uint64_t);
  if (bytes.size() < head) return std::nullopt;
  const auto length = ReadInteger<std::uint64_t>(bytes.substr(1 + name));
  if (length > bytes.size() - head) return std::nullopt;
  const Section section{bytes.substr(1, name), bytes.substr(head, length)};
  bytes.remove_prefix(head + length);
  return section;
}

using Sections = std::map<std::string_view, std::string_view>;

template <FoldPart... Ps>
bool IsKnown(std::string_view name, const std::tuple<Ps...>& /*parts*/) {
  return name == kState || ((name == Ps::kName) || ...);
}

// SectionsOf refuses what is unknown where it stands, so that a capture holds no more names than a
// fold has parts.
absl::StatusOr<Sections> SectionsOf(std::string_view bytes) {
  Sections sections;
  while (!bytes.empty()) {
    const std::optional<Section> section = TakeSection(bytes);
    if (!section) return absl::DataLossError("truncated");
    if (!IsKnown(section->name, FoldParts())) {
      return absl::FailedPreconditionError(absl::StrCat("unknown section ", Quoted(section->name)));
    }
    if (!sections.emplace(section->name, section->bytes).second) {
      return absl::DataLossError(absl::StrCat("has section ", Quoted(section->name), " twice"));
    }
  }
  return sections;
}

// DecodePart leaves a part that has no section empty: the build that wrote the capture did not have
// the part.
template <FoldPart P>
absl::Status DecodePart(const Sections& sections, P& part) {
  const auto section = sections.find(P::kName);
  if (section == sections.end()) return absl::OkStatus();
  absl::StatusOr<P> decoded = P::Decode(section->second);
  if (decoded.ok()) part = *std::move(decoded);
  return decoded.status();
}

template <FoldPart... Ps>
absl::Status DecodeParts(const Sections& sections, std::tuple<Ps...>& parts) {
  absl::Status status;
  (void)((status = DecodePart(sections, std::get<Ps>(parts)), status.ok()) &&
         ...);  // to the first error
  return status;
}

}  // namespace

Capture CaptureOf(const StoredModel& model, const ModelFold& fold) {
  return {.model = model.name,
          .id = model.id,
          .log = model.log,
          .learner = fold.learner(),
          .current = fold.current(),
          .parts = fold.parts()};
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
  std::string head;
  AppendInteger(kCaptureVersion, &head);
  absl::Status status = in_chunks(head);
  const auto section = [&](std::string_view name, std::string_view bytes) {
    if (status.ok()) status = in_chunks(SectionHead(name, bytes.size()));
    if (status.ok()) status = in_chunks(bytes);
  };
  std::apply(
      [&section]<FoldPart... Ps>(const Ps&... parts) { (section(Ps::kName, parts.Encode()), ...); },
      capture.parts);
  section(kState, capture.learner->EncodeState(*capture.current.state));
  return status.ok() && !chunk.empty() ? write(chunk) : status;
}

absl::StatusOr<FoldPoint> DecodeCapture(std::string_view bytes, const Learner& learner) {
  if (bytes.size() < sizeof(kCaptureVersion)) return absl::DataLossError("truncated");
  const auto version = ReadInteger<std::uint32_t>(bytes);
  if (version != kCaptureVersion) {
    return absl::FailedPreconditionError(absl::StrCat("unknown version ", version));
  }
  bytes.remove_prefix(sizeof(version));
  const absl::StatusOr<Sections> sections = SectionsOf(bytes);
  if (!sections.ok()) return sections.status();
  FoldPoint point;
  if (absl::Status status = DecodeParts(*sections, point.parts); !status.ok()) return status;
  const auto stored_state = sections->find(kState);
  if (stored_state == sections->end()) return absl::DataLossError("has no state");
  absl::StatusOr<LearnerState> state = learner.DecodeState(stored_state->second);
  if (!state.ok()) return state.status();
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
