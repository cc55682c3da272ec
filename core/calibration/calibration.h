// The closed set of calibrations: what is done so that predictions come true as often as they say.
// Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/calibration/intervals.h"
#include "core/calibration/recalibration.h"
#include "core/config/options.h"
#include "core/linalg/types.h"

namespace prequel {

// What a model has learned of how its predictions come true; empty of one that serves its own.
struct CalibrationState {
  RecalibrationState classes;
  IntervalsState intervals;

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("classes", s.classes);
    a.Value("intervals", s.intervals);
  }
};

struct CalibrationScratch {
  RecalibrationScratch classes;
  std::vector<Position> positions;  // outputs × B, of values
};

// Probabilities of classes are recalibrated, intervals and quantiles of values and counts are
// conformal, by the rows as they come.
struct Online {
  static constexpr std::string_view kName = "online";

  static absl::Status Configure(Options& options) {
    options.Describe("probabilities, intervals and quantiles are corrected by how they came true");
    return options.Finish();
  }
  // The state before the first minibatch, of so many outputs where they are values.
  static CalibrationState Fresh(bool classes, Index outputs) {
    CalibrationState state;
    if (classes) {
      state.classes = FreshRecalibration();
    } else {
      state.intervals = FreshIntervals(outputs);
    }
    return state;
  }
  static bool IsSoundState(const CalibrationState& state, bool classes, Index outputs) {
    if (!classes) return state.classes.empty() && IsSound(state.intervals, outputs);
    return state.intervals.empty() && IsSound(state.classes);
  }
};

// Predictions are the model's own.
struct NoCalibration {
  static constexpr std::string_view kName = "none";

  static absl::Status Configure(Options& options) {
    options.Describe("predictions are the model's own");
    return options.Finish();
  }
  static CalibrationState Fresh(bool /*classes*/, Index /*outputs*/) { return {}; }
  static bool IsSoundState(const CalibrationState& state, bool /*classes*/, Index /*outputs*/) {
    return state.classes.empty() && state.intervals.empty();
  }
};

template <class T>
concept CalibrationType = requires(T& t, const T& c, Options& options,
                                   const CalibrationState& state, bool classes, Index outputs) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { t.Configure(options) } -> std::same_as<absl::Status>;
  { c.Fresh(classes, outputs) } -> std::same_as<CalibrationState>;
  { c.IsSoundState(state, classes, outputs) } -> std::same_as<bool>;
};

template <CalibrationType... Ts>
struct CalibrationSet {
  using Variant = std::variant<Ts...>;
};

using Calibration = CalibrationSet<Online, NoCalibration>::Variant;

}  // namespace prequel
