#include "core/learner/packing.h"

#include <limits>
#include <string_view>
#include <utility>
#include <variant>

#include "core/archive/archive.h"
#include "core/archive/each_array.h"

namespace prequel {
namespace {

// All but the posterior and the rule.
void CopyRest(const LearnerState& from, LearnerState& to) {
  to.revision = from.revision;
  to.examples = from.examples;
  to.inputs = from.inputs;
  to.targets = from.targets;
  to.noise = from.noise;
  to.evaluation = from.evaluation;
}

// Whether floats tell every number of `part` from infinity, and every precision from 0.
template <class Part>
bool FitsFloats(const Part& part) {
  bool fits = true;
  ForEachArray(part, [&](const auto& values) {
    if (values.size() == 0) return;
    fits = fits && values.cwiseAbs().maxCoeff() <= std::numeric_limits<float>::max();
  });
  if constexpr (requires { part.precision; }) {
    fits = fits && part.precision.minCoeff() >= std::numeric_limits<float>::min();
  }
  return fits;
}

}  // namespace

absl::Status Pack(const LearnerState& state, LearnerState& packed) {
  CopyRest(state, packed);
  bool fits = true;
  ArchiveWriter writer(Storage::kFloat32, std::move(packed.packed));
  const auto add = [&]<class Part>(const Part& part) {
    fits = fits && FitsFloats(part);
    writer.Value("", part);
  };
  std::visit(add, state.posterior);
  std::visit(add, state.rule);
  packed.packed = std::move(writer).Take();
  if (fits) return absl::OkStatus();
  return absl::InternalError(
      "a weight, or what the rule remembers of one, is beyond what storage \"float32\" can hold; "
      "the minibatch was rejected and the model is as it was: use storage \"float64\"");
}

void Unpack(const Problem& problem, const LearnerState& packed, LearnerState& state) {
  CopyRest(packed, state);
  UnpackParts(problem, packed.packed, state).IgnoreError();  // as this process packed or checked it
}

absl::Status UnpackParts(const Problem& problem, std::string_view bytes, LearnerState& state) {
  if (state.posterior.index() != problem.initial.index()) state.posterior = problem.initial;
  std::visit([&]<class R>(const R&) { StateOf<R>(state.rule); }, problem.rule);
  ArchiveReader reader(bytes, Storage::kFloat32);
  const auto read = [&]<class Part>(Part& part) { Part::Fields(reader, part); };
  std::visit(read, state.posterior);
  std::visit(read, state.rule);
  return reader.Finish();
}

}  // namespace prequel
