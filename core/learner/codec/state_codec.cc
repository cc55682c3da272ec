#include "core/learner/codec/state_codec.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "core/archive/archive.h"
#include "core/config/by_name.h"
#include "core/config/fingerprint.h"
#include "core/encoding/state_archive.h"
#include "core/learner/belief.h"
#include "core/learner/codec/packing.h"
#include "core/learner/codec/sound_state.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELS";
constexpr std::uint32_t kVersion = 1;

void WriteBelief(const Problem& problem, const Belief& belief, ArchiveWriter& a) {
  a.Value("log_weight", belief.log_weight);
  a.Value("noise", belief.noise);
  a.Value("tracks", std::uint64_t{belief.tracks.size()});
  for (const NoiseState& track : belief.tracks) a.Value("track", track);
  a.Value("prior_scales", belief.prior_scales);
  a.Value("dynamics", std::string(NameOf(problem.dynamics)));
  std::visit([&](const auto& s) { a.Value("dynamics", s); }, belief.dynamics);
  a.Value("posterior", std::string(NameOf(problem.prototype())));
  a.Value("rule", std::string(NameOf(problem.rule)));
  if (problem.storage == Storage::kFloat32) return a.Value("packed", belief.packed);
  std::visit([&](const auto& q) { a.Value("posterior", q); }, belief.posterior);
  std::visit([&](const auto& s) { a.Value("rule", s); }, belief.rule);
}

// SharedFields lists all except the beliefs.
template <class A, class Self>
void SharedFields(A& a, Self& s) {
  CommonState::Fields(a, s.common());
  a.Value("mixing", s.mixing);
  a.Value("restarts", s.restarts);
  a.Value("calibration", s.calibration);
  a.Value("references", s.references);
}

void ReadTracks(ArchiveReader& a, Belief& belief) {
  std::uint64_t count = 0;
  a.Value("tracks", count);
  if (!a.ok()) return;
  if (count > kMaxTracks) return a.Fail("tracks", "are too many");
  belief.tracks.resize(count);
  for (NoiseState& track : belief.tracks) a.Value("track", track);
}

void ReadBelief(const Problem& problem, ArchiveReader& a, Belief& belief) {
  a.Value("log_weight", belief.log_weight);
  a.Value("noise", belief.noise);
  ReadTracks(a, belief);
  a.Value("prior_scales", belief.prior_scales);
  a.Expect("dynamics", NameOf(problem.dynamics));
  belief.dynamics = FreshState(problem.dynamics);
  std::visit([&](auto& s) { a.Value("dynamics", s); }, belief.dynamics);
  a.Expect("posterior", NameOf(problem.prototype()));
  a.Expect("rule", NameOf(problem.rule));
  if (problem.storage == Storage::kFloat32) return a.Value("packed", belief.packed);
  belief.posterior = problem.prototype();  // the right alternative, to be read into
  std::visit([&](auto& q) { a.Value("posterior", q); }, belief.posterior);
  belief.rule = FreshState(problem.rule);
  std::visit([&](auto& s) { a.Value("rule", s); }, belief.rule);
}

void ReadBeliefs(const Problem& problem, ArchiveReader& a, LearnerState& state) {
  std::uint64_t count = 0;
  a.Value("beliefs", count);
  if (!a.ok()) return;
  if (count == 0 || count > kMaxBeliefs) return a.Fail("beliefs", "are too few or too many");
  state.beliefs.resize(count);
  for (Belief& belief : state.beliefs) {
    if (a.ok()) ReadBelief(problem, a, belief);
  }
}

}  // namespace

std::string EncodeState(const Problem& problem, const LearnerState& state) {
  const auto write = [&](ArchiveWriter& a) {
    a.Value("fingerprint", Fingerprint(problem.config));
    SharedFields(a, state);
    a.Value("beliefs", std::uint64_t{state.beliefs.size()});
    for (const Belief& belief : state.beliefs) WriteBelief(problem, belief, a);
  };
  // The bytes are counted first, so that those of a large state are never in memory twice.
  ArchiveWriter counter = ArchiveWriter::Counter();
  write(counter);
  ArchiveWriter writer;
  writer.Reserve(kSealBytes + counter.size());
  write(writer);
  return Seal(std::move(writer).Take(), kMagic, kVersion);
}

absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes) {
  const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, kVersion);
  if (!body.ok()) return body.status();
  ArchiveReader a(*body);
  std::uint64_t fingerprint = 0;
  a.Value("fingerprint", fingerprint);
  // A build that knows more options completes a stored configuration further: a state that was made
  // before is then of the configuration as it came.
  if (a.ok() && fingerprint != Fingerprint(problem.config) && fingerprint != problem.given) {
    return absl::FailedPreconditionError("the state is of another configuration");
  }
  LearnerState state;
  SharedFields(a, state);
  ReadBeliefs(problem, a, state);
  if (absl::Status status = a.Finish(); !status.ok()) return status;
  if (absl::Status status = CheckSound(problem, state); !status.ok()) return status;
  return state;
}

}  // namespace prequel
