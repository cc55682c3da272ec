#include "core/learner/codec/packing.h"

#include <cstddef>
#include <limits>
#include <utility>
#include <variant>

#include "core/archive/archive.h"
#include "core/archive/each_array.h"

namespace prequel {
namespace {

// CopyRest copies all except the posterior and the rule.
void CopyRest(const Belief& from, Belief& to) {
  to.log_weight = from.log_weight;
  to.prior_scales = from.prior_scales;
  to.noise = from.noise;
  to.tracks = from.tracks;
  to.dynamics = from.dynamics;
}

// FitsFloats: whether floats tell every number of `part` from infinity.
template <class Part>
bool FitsFloats(const Part& part) {
  bool fits = true;
  ForEachArray(part, [&](const auto& values) {
    if (values.size() == 0) return;
    fits = fits && values.cwiseAbs().maxCoeff() <= std::numeric_limits<float>::max();
  });
  return fits;
}

bool PackBelief(const Belief& belief, Belief& packed) {
  CopyRest(belief, packed);
  bool fits = true;
  ArchiveWriter writer(Storage::kFloat32, std::move(packed.packed));
  const auto add = [&](const auto& part) {
    fits = fits && FitsFloats(part);
    writer.Value("", part);
  };
  std::visit(add, belief.posterior);
  std::visit(add, belief.rule);
  std::visit(
      [&]<class Q>(const Q& q) {
        if constexpr (VectorPosterior<Q>) {
          fits = fits && q.least_positive() >= std::numeric_limits<float>::min();
        }
      },
      belief.posterior);
  packed.packed = std::move(writer).Take();
  return fits;
}

}  // namespace

absl::Status Pack(const LearnerState& state, LearnerState& packed) {
  packed.common() = state.common();
  packed.mixing = state.mixing;
  packed.calibration = state.calibration;
  packed.references = state.references;
  packed.restarts = state.restarts;
  packed.beliefs.resize(state.beliefs.size());
  bool fits = true;
  for (std::size_t k = 0; k < state.beliefs.size(); ++k) {
    fits = PackBelief(state.beliefs[k], packed.beliefs[k]) && fits;
  }
  if (fits) return absl::OkStatus();
  return absl::InternalError(
      "a weight, or what the rule remembers of one, is beyond what storage \"float32\" can hold; "
      "the minibatch was rejected and the model is as it was: use storage \"float64\"");
}

void Unpack(const Problem& problem, const LearnerState& packed, LearnerState& state) {
  state.common() = packed.common();
  state.mixing = packed.mixing;
  state.calibration = packed.calibration;
  state.references = packed.references;
  state.restarts = packed.restarts;
  state.beliefs.resize(packed.beliefs.size());
  for (std::size_t k = 0; k < packed.beliefs.size(); ++k) {
    CopyRest(packed.beliefs[k], state.beliefs[k]);
    // The bytes are good: this process packed or checked them.
    UnpackParts(problem, packed.beliefs[k].packed, state.beliefs[k]).IgnoreError();
  }
}

absl::Status UnpackParts(const Problem& problem, std::string_view bytes, Belief& belief) {
  if (belief.posterior.index() != problem.prototype().index())
    belief.posterior = problem.prototype();
  std::visit([&]<class R>(const R&) { StateOf<R>(belief.rule); }, problem.rule);
  ArchiveReader reader(bytes, Storage::kFloat32);
  const auto read = [&]<class Part>(Part& part) { Part::Fields(reader, part); };
  std::visit(read, belief.posterior);
  std::visit(read, belief.rule);
  return reader.Finish();
}

}  // namespace prequel
