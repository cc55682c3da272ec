// The closed set of calibrations: what is done so that predictions come true as often as they say.
// Adding one is one new file and one word in the set.
#pragma once

#include <concepts>
#include <string_view>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "core/calibration/balance.h"
#include "core/calibration/intervals.h"
#include "core/calibration/recalibration.h"
#include "core/config/options.h"
#include "core/linalg/types.h"

namespace prequel {

// CalibrationState is what a model has learned of how its predictions come true; empty for one that
// serves them as they are.
struct CalibrationState {
  RecalibrationState classes;
  IntervalsState intervals;
  BalanceState balance;  // of counts

  bool empty() const { return classes.empty() && intervals.empty() && balance.empty(); }

  template <class A, class Self>
  static void Fields(A& a, Self& s) {
    a.Value("classes", s.classes);
    a.Value("intervals", s.intervals);
    a.Value("balance", s.balance);
  }
};

// What a model predicts.
enum class Predicted { kClasses, kCounts, kValues };

struct CalibrationScratch {
  RecalibrationScratch classes;
  std::vector<Position> positions;  // outputs × B, of values
};

// Online recalibrates probabilities of classes, makes intervals and quantiles of values and counts
// conformal, and balances means of counts, by the rows as they come.
struct Online {
  static constexpr std::string_view kName = "online";

  static absl::Status Configure(Options& options) {
    options.Describe(
        "probabilities, intervals, quantiles and means of counts are corrected by how they came "
        "true");
    return options.Finish();
  }
  // Fresh is the state before the first minibatch, for `outputs` outputs where they are no classes.
  static CalibrationState Fresh(Predicted predicted, Index outputs) {
    CalibrationState state;
    if (predicted == Predicted::kClasses) {
      state.classes = FreshRecalibration();
      return state;
    }
    state.intervals = FreshIntervals(outputs);
    if (predicted == Predicted::kCounts) state.balance = FreshBalance(outputs);
    return state;
  }
  static bool IsSoundState(const CalibrationState& state, Predicted predicted, Index outputs) {
    const bool balanced = predicted == Predicted::kCounts;
    if (!(balanced ? IsSound(state.balance, outputs) : state.balance.empty())) return false;
    if (predicted == Predicted::kClasses) return state.intervals.empty() && IsSound(state.classes);
    return state.classes.empty() && IsSound(state.intervals, outputs);
  }
};

// NoCalibration serves the model's own predictions.
struct NoCalibration {
  static constexpr std::string_view kName = "none";

  static absl::Status Configure(Options& options) {
    options.Describe("predictions are the model's own");
    return options.Finish();
  }
  static CalibrationState Fresh(Predicted /*predicted*/, Index /*outputs*/) { return {}; }
  static bool IsSoundState(const CalibrationState& state, Predicted /*predicted*/,
                           Index /*outputs*/) {
    return state.empty();
  }
};

template <class T>
concept CalibrationType = requires(T& t, const T& c, Options& options,
                                   const CalibrationState& state, Predicted predicted,
                                   Index outputs) {
  { T::kName } -> std::convertible_to<std::string_view>;
  { t.Configure(options) } -> std::same_as<absl::Status>;
  { c.Fresh(predicted, outputs) } -> std::same_as<CalibrationState>;
  { c.IsSoundState(state, predicted, outputs) } -> std::same_as<bool>;
};

template <CalibrationType... Ts>
struct CalibrationSet {
  using Variant = std::variant<Ts...>;
};

using Calibration = CalibrationSet<Online, NoCalibration>::Variant;

// What a model in dataset mode is given that names no calibration.
using DatasetCalibration = NoCalibration;

}  // namespace prequel
