#include "core/packing.h"

#include <concepts>
#include <limits>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/archive.h"

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

// Visits the vectors of a part: whether every number is within what a float tells from infinity,
// and what must be positive from 0.
struct Range {
  static constexpr bool kReading = false;

  bool holds = true;
  void Value(std::string_view, const std::integral auto&) {}
  void Value(std::string_view name, const Vector& values) {
    if (values.size() == 0) return;
    constexpr double kMost = std::numeric_limits<float>::max();
    constexpr double kLeast = std::numeric_limits<float>::min();
    holds = holds && values.cwiseAbs().maxCoeff() <= kMost &&
            (name != "precision" || values.minCoeff() >= kLeast);
  }
  void Value(std::string_view, const Matrix&) {}
  void LowerTriangle(std::string_view, const Matrix&) {}
  template <class T>
  requires std::is_class_v<T>
  void Value(std::string_view, const T& part) { T::Fields(*this, part); }
  template <class T>
  void Value(std::string_view, const std::vector<T>& parts) {
    for (const T& part : parts) Value("", part);
  }
};

}  // namespace

absl::Status Pack(const LearnerState& state, LearnerState& packed) {
  CopyRest(state, packed);
  Range range;
  ArchiveWriter writer(Storage::kFloat32, std::move(packed.packed));
  const auto add = [&]<class Part>(const Part& part) {
    Part::Fields(range, part);
    writer.Value("", part);
  };
  std::visit(add, state.posterior);
  std::visit(add, state.rule);
  packed.packed = std::move(writer).Take();
  if (range.holds) return absl::OkStatus();
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
