// What a model is: plain data, as it travels and as it is stored. Learner::Create gives it meaning.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "core/linalg/types.h"

namespace prequel {

// Numbers in rows of `columns`, one row after the other.
struct NumberTable {
  Index rows = 0;
  Index columns = 0;
  std::vector<double> numbers;  // rows · columns

  bool operator==(const NumberTable&) const = default;
};

using OptionValue = std::variant<bool, double, std::string, std::vector<double>, NumberTable>;

// A named alternative and its options: {"mlp", {{"hidden", {32}}}}.
struct ComponentConfig {
  std::string name;  // empty: the default alternative
  std::map<std::string, OptionValue> options;

  bool operator==(const ComponentConfig&) const = default;
};

struct FeatureConfig {
  enum class Kind { kNumeric, kCategorical };
  std::string name;
  Kind kind = Kind::kNumeric;
  Index width = 1;             // numeric: consecutive input columns
  bool allow_missing = false;  // numeric: NaN means missing
  Index max_categories = 32;   // categorical: values with a column of their own
  Index hash_buckets = 0;      // categorical: columns that all others are hashed into; 0: they
                               // share one. With max_categories = 0 all values are hashed

  bool operator==(const FeatureConfig&) const = default;
};

// LabelType is what labels were given as, for those who answer them. Nothing that is learned
// depends on it.
enum class LabelType { kUnknown, kText, kInteger, kFloat, kBool };

struct TargetConfig {
  std::string name;
  std::vector<std::string> labels;  // classes in order; empty: integers, or text as first seen
  Index num_classes = 0;            // classes, when `labels` is empty
  Index width = 1;                  // regression and counts: values per example
  bool allow_missing = false;       // NaN or "" means unknown: the row is skipped
  LabelType label_type = LabelType::kUnknown;

  bool operator==(const TargetConfig&) const = default;
};

enum class Standardize { kDefault, kNone, kRunning };

struct LearnerConfig {
  std::vector<FeatureConfig> features;
  TargetConfig target;
  ComponentConfig model, likelihood, prior, posterior, rule, dynamics, calibration, robustness;
  Standardize standardize_inputs = Standardize::kDefault;
  Standardize standardize_targets = Standardize::kDefault;
  // Rows that running moments remember, or +∞: all. 0: 10,000, or all of a rule in mode dataset.
  double standardize_window = 0;
  double input_clip = 5;            // deviations that a standardised input is held within
  double evaluation_window = 1000;  // examples
  std::uint64_t seed = 0;

  bool operator==(const LearnerConfig&) const = default;
};

// Hard limits: a configuration beyond them is refused before anything is allocated.
struct ConfigLimits {
  static constexpr Index kMaxInputs = 1 << 20;          // encoded inputs
  static constexpr Index kMaxParameters = 1 << 26;      // D of a diagonal posterior
  static constexpr Index kMaxFullParameters = 1 << 13;  // D of a full covariance: 512 MiB
  static constexpr double kMaxPartEntries = 1 << 26;    // of covariances per layer: 512 MiB
  static constexpr Index kMaxKroneckerWidth = 1 << 11;  // of a layer: eigenpairs at every refresh
  static constexpr Index kMaxFactorEntries = 1 << 26;   // D · L of a low-rank factor: 512 MiB
  static constexpr Index kMaxOutputs = 1 << 12;
  static constexpr Index kMaxFeatures = 1 << 16;
};

}  // namespace prequel
