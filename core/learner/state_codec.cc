#include "core/learner/state_codec.h"

#include <cmath>
#include <utility>
#include <variant>

#include "core/archive/archive.h"
#include "core/config/registry.h"
#include "core/encoding/category_table.h"
#include "core/encoding/state_archive.h"
#include "core/learner/noise.h"
#include "core/learner/packing.h"
#include "core/scores/evaluation_archive.h"

namespace prequel {

template <class A>
void Archive(A& a, Field<A, NoiseState>& s) {
  a.Value("shape", s.shape);
  a.Value("rate", s.rate);
}

// Everything but the posterior and the rule's state, whose tags are their names.
template <class A>
void Archive(A& a, Field<A, LearnerState>& s) {
  a.Value("revision", s.revision);
  a.Value("examples", s.examples);
  a.Value("inputs", s.inputs);
  a.Value("targets", s.targets);
  a.Value("noise", s.noise);
  a.Value("evaluation", s.evaluation);
}

template <class A>
void Archive(A& a, Field<A, FeatureConfig>& s) {
  a.Value("name", s.name);
  a.Value("kind", static_cast<std::int64_t>(s.kind));
  a.Value("width", s.width);
  a.Value("allow_missing", s.allow_missing);
  a.Value("max_categories", s.max_categories);
  a.Value("hash_buckets", s.hash_buckets);
}

template <class A>
void Archive(A& a, Field<A, TargetConfig>& s) {
  a.Value("name", s.name);
  a.Value("labels", s.labels);
  a.Value("num_classes", s.num_classes);
  a.Value("width", s.width);
  a.Value("allow_missing", s.allow_missing);
}

template <class A>
void Archive(A& a, Field<A, NumberTable>& s) {
  a.Value("rows", s.rows);
  a.Value("columns", s.columns);
  a.Value("numbers", s.numbers);
}

template <class A>
void Archive(A& a, Field<A, ComponentConfig>& s) {
  a.Value("name", s.name);
  for (const auto& [name, value] : s.options) {
    a.Value("option", name);
    a.Value("value", value);
  }
}

namespace {

constexpr std::string_view kMagic = "PREQUELS";
constexpr std::uint32_t kVersion = 1;

template <class A, class Config>
void ArchiveConfig(A& a, const Config& config) {
  a.Value("features", config.features);
  a.Value("target", config.target);
  for (const ComponentConfig* component :
       {&config.model, &config.likelihood, &config.prior, &config.posterior, &config.rule}) {
    a.Value("component", *component);
  }
  a.Value("standardize_inputs", static_cast<std::int64_t>(config.standardize_inputs));
  a.Value("standardize_targets", static_cast<std::int64_t>(config.standardize_targets));
  a.Value("input_clip", config.input_clip);
  a.Value("evaluation_window", config.evaluation_window);
  a.Value("seed", config.seed);
}

// REQUIRES: both are of one family.
bool HasShape(const Posterior& prototype, const Posterior& posterior) {
  return std::visit(
      [&]<class Q>(const Q& q) {
        if constexpr (requires { q.HasShapeOf(q); }) return q.HasShapeOf(std::get<Q>(prototype));
        return true;
      },
      posterior);
}

// Of a rule whose state is another for every family: whether it is this posterior's.
bool Suits(const RuleState& state, const Posterior& posterior) {
  return std::visit(
      []<class S, class Q>(const S& s, const Q& q) {
        if constexpr (requires { s.Suits(q); }) return s.Suits(q);
        return true;
      },
      state, posterior);
}

// Far from where counting on would overflow.
bool IsCount(std::int64_t count) { return count >= 0 && count <= std::int64_t{1} << 62; }

bool HasCounts(const LearnerState& state) {
  const bool steps = std::visit(
      [](const auto& rule) {
        if constexpr (requires { rule.steps; }) return IsCount(rule.steps);
        return true;
      },
      state.rule);
  return steps && IsCount(state.revision) && IsCount(state.examples) &&
         IsCount(state.evaluation.skipped_rows) && IsCount(state.evaluation.unscored_rows);
}

// Of every output, positive and finite.
bool IsNoise(const Vector& values, Index outputs) {
  return values.size() == outputs && values.allFinite() && (values.array() > 0).all();
}

// Whether a decoded state is one that this problem's fold could have produced.
absl::Status CheckDecoded(const Problem& problem, const LearnerState& state) {
  if (absl::Status status = problem.encoder.CheckState(state.inputs); !status.ok()) return status;
  if (absl::Status status = problem.target_encoder.CheckState(state.targets); !status.ok()) {
    return status;
  }
  const auto sound = [&](const auto& part) { return part.IsSound(problem.num_params()); };
  if (!std::visit(sound, state.posterior) || !HasShape(problem.initial, state.posterior)) {
    return absl::DataLossError("posterior: has the wrong size or is not finite");
  }
  if (!std::visit(sound, state.rule) || !Suits(state.rule, state.posterior)) {
    return absl::DataLossError("rule: its state has the wrong size or is not finite");
  }
  const Index outputs = InitialNoise(problem).shape.size();
  if (!IsNoise(state.noise.shape, outputs) || !IsNoise(state.noise.rate, outputs)) {
    return absl::DataLossError("noise: has the wrong size or is not positive and finite");
  }
  if (!HasCounts(state)) return absl::DataLossError("counts: out of range");
  return absl::OkStatus();
}

absl::Status ReadRuleName(const Problem& problem, ArchiveReader& reader) {
  std::string name;
  reader.Value("rule", name);
  if (reader.ok() && name != problem.config.rule.name) {
    return absl::DataLossError("rule: its state is of another rule");
  }
  return absl::OkStatus();
}

// From the rule's name on.
absl::StatusOr<LearnerState> DecodePacked(const Problem& problem, ArchiveReader& reader,
                                          LearnerState state) {
  if (absl::Status status = ReadRuleName(problem, reader); !status.ok()) return status;
  reader.Value("packed", state.packed);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  LearnerState unpacked = state;
  absl::Status status = UnpackParts(problem, state.packed, unpacked);
  if (status.ok()) status = CheckDecoded(problem, unpacked);
  if (!status.ok()) return status;
  return state;
}

}  // namespace

std::uint64_t Fingerprint(const LearnerConfig& config) {
  ArchiveWriter writer;
  ArchiveConfig(writer, config);
  return StableHash(std::move(writer).Take());
}

std::string EncodeState(const Problem& problem, const LearnerState& state) {
  const auto write = [&](ArchiveWriter& writer) {
    writer.Value("fingerprint", Fingerprint(problem.config));
    writer.Value("state", state);
    writer.Value("posterior", std::string(NameOf(problem.initial)));
    const bool packed = problem.storage == Storage::kFloat32;
    if (!packed) {
      std::visit([&](const auto& q) { writer.Value("posterior", q); }, state.posterior);
    }
    writer.Value("rule", std::string(NameOf(problem.rule)));
    if (packed) {
      writer.Value("packed", state.packed);
    } else {
      std::visit([&](const auto& s) { writer.Value("rule", s); }, state.rule);
    }
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
  const absl::StatusOr<std::string_view> body = Open(bytes, kMagic, kVersion);
  if (!body.ok()) return body.status();
  ArchiveReader reader(*body);
  std::uint64_t fingerprint = 0;
  reader.Value("fingerprint", fingerprint);
  // The second is what an older build, which knew fewer options, made of the same configuration.
  if (reader.ok() && fingerprint != Fingerprint(problem.config) && fingerprint != problem.given) {
    return absl::FailedPreconditionError("the state is of another configuration");
  }
  LearnerState state;
  reader.Value("state", state);
  std::string name;
  reader.Value("posterior", name);
  if (reader.ok() && name != problem.config.posterior.name) {
    return absl::DataLossError("posterior: is not of the configured family");
  }
  if (problem.storage == Storage::kFloat32) return DecodePacked(problem, reader, std::move(state));
  state.posterior = problem.initial;  // the right alternative, to be read into
  std::visit([&](auto& q) { reader.Value("posterior", q); }, state.posterior);
  if (absl::Status status = ReadRuleName(problem, reader); !status.ok()) return status;
  state.rule = FreshState(problem.rule);
  std::visit([&](auto& s) { reader.Value("rule", s); }, state.rule);
  if (absl::Status status = reader.Finish(); !status.ok()) return status;
  if (absl::Status status = CheckDecoded(problem, state); !status.ok()) return status;
  return state;
}

}  // namespace prequel
