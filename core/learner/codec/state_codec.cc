#include "core/learner/codec/state_codec.h"

#include <cstdint>
#include <utility>
#include <variant>

#include "core/archive/archive.h"
#include "core/config/fingerprint.h"
#include "core/config/registry.h"
#include "core/encoding/state_archive.h"
#include "core/learner/belief.h"
#include "core/learner/codec/packing.h"
#include "core/learner/codec/sound_state.h"
#include "core/learner/codec/state_v1.h"
#include "core/learner/codec/state_v2.h"
#include "core/learner/codec/state_v3.h"
#include "core/learner/codec/state_v4.h"
#include "core/learner/codec/state_v6.h"
#include "core/learner/codec/state_v7.h"
#include "core/learner/codec/state_v9.h"

namespace prequel {
namespace {

constexpr std::string_view kMagic = "PREQUELS";
constexpr std::uint32_t kVersion = 10;

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

// What is encoded in, and how many values were far out of late: of inputs and of targets.
template <class A, class Self>
void UnitFields(A& a, Self& s) {
  a.Value("units", s.inputs.units);
  a.Value("units", s.targets.units);
  a.Value("far", s.inputs.moments.far);
  a.Value("far", s.targets.moments.far);
  a.Value("rare", s.inputs.moments.rare);
  a.Value("rare", s.targets.moments.rare);
}

void ReadTracks(ArchiveReader& a, Belief& belief) {
  std::uint64_t count = 0;
  a.Value("tracks", count);
  if (!a.ok()) return;
  if (count > kMaxTracks) return a.Fail("tracks", "are too many");
  belief.tracks.resize(count);
  for (NoiseState& track : belief.tracks) a.Value("track", track);
}

void ReadBelief(const Problem& problem, std::uint32_t version, ArchiveReader& a, Belief& belief) {
  a.Value("log_weight", belief.log_weight);
  a.Value("noise", belief.noise);
  if (version > 3) ReadTracks(a, belief);
  if (version > 9) a.Value("prior_scales", belief.prior_scales);
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

void ReadBeliefs(const Problem& problem, std::uint32_t version, ArchiveReader& a,
                 LearnerState& state) {
  std::uint64_t count = 0;
  a.Value("beliefs", count);
  if (!a.ok()) return;
  if (count == 0 || count > kMaxBeliefs) return a.Fail("beliefs", "are too few or too many");
  state.beliefs.resize(count);
  for (Belief& belief : state.beliefs) {
    if (a.ok()) ReadBelief(problem, version, a, belief);
  }
}

// The body, and which version it is of.
absl::StatusOr<std::string_view> OpenAny(std::string_view bytes, std::uint32_t& version) {
  absl::StatusOr<std::string_view> newest = Open(bytes, kMagic, kVersion);
  version = kVersion;
  if (newest.ok()) return newest;
  for (version = kVersion - 1; version >= 1; --version) {
    absl::StatusOr<std::string_view> body = Open(bytes, kMagic, version);
    if (body.ok()) return body;
  }
  return newest;
}

}  // namespace

std::string EncodeState(const Problem& problem, const LearnerState& state) {
  const auto write = [&](ArchiveWriter& a) {
    a.Value("fingerprint", Fingerprint(problem.config));
    CommonState::Fields(a, state.common());
    a.Value("largest", state.targets.largest);
    a.Value("mixing", state.mixing);
    a.Value("calibration", state.calibration);
    a.Value("references", state.references);
    Evaluation::ComparedFields(a, state.evaluation);
    a.Value("restarts", state.restarts);
    a.Value("run_rows", state.restarts.rows);
    a.Value("still", state.evaluation.still);
    a.Value("change", state.change);
    a.Value("times", state.times);
    a.Value("map", state.calibration.classes.map);
    a.Value("balance", state.calibration.balance);
    a.Value("unseen_categories", state.evaluation.unseen_categories);
    UnitFields(a, state);
    a.Value("beliefs", std::uint64_t{state.beliefs.size()});
    for (const Belief& belief : state.beliefs) WriteBelief(problem, belief, a);
  };
  // Counted first, so that the bytes of a large state are never in memory twice.
  ArchiveWriter counter = ArchiveWriter::Counter();
  write(counter);
  ArchiveWriter writer;
  writer.Reserve(kSealBytes + counter.size());
  write(writer);
  return Seal(std::move(writer).Take(), kMagic, kVersion);
}

absl::StatusOr<LearnerState> DecodeState(const Problem& problem, std::string_view bytes) {
  std::uint32_t version = 0;
  const absl::StatusOr<std::string_view> body = OpenAny(bytes, version);
  if (!body.ok()) return body.status();
  ArchiveReader a(*body);
  std::uint64_t fingerprint = 0;
  a.Value("fingerprint", fingerprint);
  // The second is what an older build, which knew fewer options, made of the same configuration.
  if (a.ok() && fingerprint != Fingerprint(problem.config) && fingerprint != problem.given) {
    return absl::FailedPreconditionError("the state is of another configuration");
  }
  LearnerState state;
  if (version == 1) {
    ReadStateV1(problem, a, state);
  } else {
    CommonState::Fields(a, state.common());
    if (version > 2) {
      a.Value("largest", state.targets.largest);
      a.Value("mixing", state.mixing);
    }
    if (version > 3) {
      a.Value("calibration", state.calibration);
      a.Value("references", state.references);
      Evaluation::ComparedFields(a, state.evaluation);
      a.Value("restarts", state.restarts);
    }
    if (version > 4) {
      a.Value("run_rows", state.restarts.rows);
      a.Value("still", state.evaluation.still);
      a.Value("change", state.change);
    }
    if (version > 5) a.Value("times", state.times);
    if (version > 6) a.Value("map", state.calibration.classes.map);
    if (version > 7) a.Value("balance", state.calibration.balance);
    if (version > 8) a.Value("unseen_categories", state.evaluation.unseen_categories);
    if (version > 9) UnitFields(a, state);
    ReadBeliefs(problem, version, a, state);
  }
  if (absl::Status status = a.Finish(); !status.ok()) return status;
  if (version < 3) UpgradeFromV2(problem, state);
  if (version < 4) UpgradeFromV3(problem, state);
  if (version < 5) UpgradeFromV4(problem, state);
  if (version < 7) UpgradeFromV6(problem, state);
  if (version < 8) UpgradeFromV7(problem, state);
  if (version < 10) UpgradeFromV9(problem, state);
  if (absl::Status status = CheckSound(problem, state); !status.ok()) return status;
  return state;
}

}  // namespace prequel
