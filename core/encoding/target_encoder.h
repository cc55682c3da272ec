// Encodes targets and labels, as they are pushed, as the numbers that a likelihood sees.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/config/batch.h"
#include "core/config/learner_config.h"
#include "core/encoding/category_table.h"
#include "core/encoding/refused_rows.h"
#include "core/encoding/running_moments.h"
#include "core/encoding/units.h"

namespace prequel {

// What a TargetEncoder has learned: a value, part of the learner's state.
struct TargetState {
  RunningMoments moments;  // of the outputs; empty unless they are standardised
  Units units;             // that they are encoded in, likewise
  SharedTable labels;      // text labels in class order, when the configuration lists none
  bool integers = false;   // whether integers came first: classes are integers
  // largest: the largest count so far of each output, −1 before the first. Empty for other targets.
  Vector largest;
};

// TargetProblem is empty when the value can occur under the likelihood, else what would be right.
using TargetProblem = std::function<std::string_view(double)>;

// The plan made of the target; immutable. Encoded targets are T × K for the K rows kept:
//   values   (y − location) / scale when standardised, else y
//   classes  T = 1: the index of the class
// Classes are named by integers 0..C−1, by text as first seen, or by the configured labels. A text
// and a number name the same class where the text is that number, however it is spelled (Spelled).
class TargetEncoder {
 public:
  // `width` is T. Only kRunning standardises, and only values; `counts` of them are never.
  // INVALID_ARGUMENT names the field ("config.target.labels[3]").
  static absl::StatusOr<TargetEncoder> Create(const TargetConfig& config, bool classes, Index width,
                                              Standardize standardize, bool counts = false);

  Index width() const { return width_; }
  bool Classes() const { return num_classes_ > 0; }
  Index num_classes() const { return num_classes_; }  // 0 for values

  // INVALID_ARGUMENT unless `batch` carries either targets or labels of the right shape, and each
  // is one that a row can have: a value that is admissible, which `problem` is asked about, or a
  // finite number or a text of bounded length for a class, whether or not there is such a class.
  // Fields: "batch.targets[row,column]", "batch.labels[row]".
  absl::Status Check(const Batch& batch, const TargetProblem& problem) const;

  TargetState Initial() const;
  // Whether `state` has the sizes of this plan and sound values; DATA_LOSS otherwise.
  absl::Status CheckState(const TargetState& state) const;

  // The methods below REQUIRE Check(batch), and are called in this order.

  // Meet gives each text label that is new a class, in order of appearance, as long as there are
  // free ones; whole numbers too, where text came first.
  void Meet(const Batch& batch, TargetState& state) const;
  // Select writes to `kept`, ascending, the rows whose target is known and, if it is to be a class,
  // is one of the model; adds those that are known and are no class to `refused`.
  void Select(const TargetState& state, const Batch& batch, std::vector<Index>& kept,
              RefusedRows& refused) const;
  // Absorb takes the rows `kept` by Select into the running moments, of which `window` rows are
  // remembered. The moments take in no value as further out than `bound` deviations.
  void Absorb(const Batch& batch, const std::vector<Index>& kept, TargetState& state,
              double window = RunningMoments::kAllRows,
              double bound = RunningMoments::kUnbounded) const;
  // Moves the units to the running moments where these have left them (core/encoding/units.h).
  bool MoveUnits(double tolerance, UnknownScale unknown, TargetState& state,
                 UnitsChange& change) const {
    return Follow(state.moments, tolerance, unknown, state.units, change);
  }
  void Encode(const TargetState& state, const Batch& batch, const std::vector<Index>& kept,
              Matrix& out) const;  // T × kept

  // Location and Scale are those of y = location + scale · encoded; 0 and 1 when not standardised.
  void Location(const TargetState& state, Vector& out) const;  // T
  void Scale(const TargetState& state, Vector& out) const;     // T
  // HasScale: whether the unit of the encoded targets is known: always, unless standardised, and
  // then from the second target on, since one value has no deviation. No predictive means anything
  // before.
  bool HasScale(const TargetState& state) const;

  // Class names in class order: configured, or the text seen so far, or 0..C−1 once integers were
  // seen. Empty for values.
  std::vector<std::string> Labels(const TargetState& state) const;

 private:
  absl::Status ConfigureClasses(const TargetConfig& config);
  absl::Status CheckTargets(const Batch& batch, const TargetProblem& problem) const;
  absl::Status CheckLabels(const Batch& batch) const;
  std::string ValueProblem(double value, const TargetProblem& problem) const;
  std::string ClassProblem(double value) const;
  std::string LabelProblem(const std::string& label) const;
  bool IsKnown(const Batch& batch, Index row) const;
  RefusedRow Refuse(const TargetState& state, const Batch& batch, Index row) const;
  std::string ExpectedClasses() const;  // "classes are 0..9"
  const CategoryTable& TableOf(const TargetState& state) const {
    return configured_ ? *configured_ : *state.labels;
  }
  // CountsClasses: whether classes are integers, as far as is known.
  bool CountsClasses(const TargetState& state) const {
    return !configured_ && state.labels->size() == 0;
  }
  // ClassOf is −1 when there is no such class.
  Index ClassOf(double value) const;
  Index ClassOf(const TargetState& state, double value) const;
  Index ClassOf(const TargetState& state, const std::string& label) const;
  Index ClassOf(const TargetState& state, const Batch& batch, Index row) const;
  bool UsesLabels(const Batch& batch) const { return batch.targets.size() == 0; }

  Index width_ = 1;
  Index num_classes_ = 0;
  bool standardize_ = false;
  bool counts_ = false;
  bool allow_missing_ = false;
  SharedTable configured_;  // null: no labels are configured
};

}  // namespace prequel
